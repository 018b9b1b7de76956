#include "gpu/compiler_loader.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace taintgraph::gpu {
namespace {

// The bare name is there only with a toolkit's development files; the others are NVRTC's sonames.
constexpr const char* kNames[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
constexpr const char* kFolders[] = {"/lib64/", "/lib/"};

void append(std::string& list, const std::string& item) { list.append(list.empty() ? "" : "; ").append(item); }

template <class Function>
void resolve(void* library, const char* symbol, Function*& function, std::string& missing) {
  function = reinterpret_cast<Function*>(dlsym(library, symbol));
  if (function == nullptr) missing.append(missing.empty() ? "" : ", ").append(symbol);
}

}  // namespace

std::vector<std::string> compiler_candidates() {
  std::vector<std::string> candidates(std::begin(kNames), std::end(kNames));
  for (const char* toolkit : {std::getenv("CUDA_HOME"), std::getenv("CUDA_PATH"), static_cast<char*>(nullptr)}) {
    const std::string root = toolkit == nullptr ? "/usr/local/cuda" : toolkit;
    for (const char* folder : kFolders) {
      for (const char* name : kNames) candidates.push_back(root + folder + name);
    }
  }
  return candidates;
}

tl::expected<CompilerApi, std::string> load_compiler(const std::vector<std::string>& candidates) {
  std::string looked_for;
  std::string wrong;
  for (const std::string& candidate : candidates) {
    void* opened = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
      append(looked_for, dlerror());
      continue;
    }
    CompilerApi compiler;
    std::string missing;
#define TAINTGRAPH_RESOLVE(entry, parameters) resolve(opened, #entry, compiler.entry, missing);
    TAINTGRAPH_COMPILER_ENTRIES(TAINTGRAPH_RESOLVE)
#undef TAINTGRAPH_RESOLVE
    if (missing.empty()) return compiler;
    append(wrong, std::string(candidate).append(" lacks ").append(missing));
    dlclose(opened);
  }
  return tl::unexpected("no NVRTC: " + (wrong.empty() ? looked_for : wrong));
}

}  // namespace taintgraph::gpu
