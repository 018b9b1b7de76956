#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "traces/writer.hpp"

namespace taintgraph::traces {
namespace {

class FileOutput : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "file_output_test." + std::to_string(::getpid());
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++count;
    return count;
  }

  std::string folder_;
};

TEST_F(FileOutput, CreatesAndReplaces) {
  const std::string path = folder_ + "/result";
  ASSERT_TRUE(write_file_whole(path, "first").has_value());
  EXPECT_EQ(content(path), "first");
  const std::string large(3U << 20, 'x');
  ASSERT_TRUE(write_file_whole(path, large).has_value());
  EXPECT_EQ(content(path), large);
  ASSERT_TRUE(write_file_whole(path, "").has_value());
  EXPECT_EQ(content(path), "");
  EXPECT_EQ(files(), 1U);  // nothing temporary is left
}

TEST_F(FileOutput, KeepsThePermissionsOfWhatItReplaces) {
  const std::string path = folder_ + "/result";
  std::ofstream(path) << "old";
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(write_file_whole(path, "new").has_value());
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST_F(FileOutput, ALinkStaysAndWhatItLeadsToIsReplaced) {
  std::filesystem::create_directory(folder_ + "/kept");
  const std::string target = folder_ + "/kept/result";
  const std::string link = folder_ + "/link";
  std::filesystem::create_symlink("kept/result", link);  // relative to the link, and dangling
  for (const char* const words : {"first", "second"}) {
    ASSERT_TRUE(write_file_whole(link, words).has_value());
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(content(target), words);
  }
  std::filesystem::create_symlink("round", folder_ + "/round");
  EXPECT_FALSE(write_file_whole(folder_ + "/round", "text").has_value());
}

TEST_F(FileOutput, FailsWithoutATrace) {
  const auto nowhere = write_file_whole(folder_ + "/missing/result", "text");
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_NE(nowhere.error().find("missing/result: "), std::string::npos) << nowhere.error();
  EXPECT_NE(nowhere.error().find("No such file"), std::string::npos) << nowhere.error();
  const auto directory = write_file_whole(folder_, "text");
  ASSERT_FALSE(directory.has_value());
  EXPECT_NE(directory.error().find("Is a directory"), std::string::npos) << directory.error();
  EXPECT_EQ(files(), 0U);
}

// A temporary file of that name that somebody left behind is in nobody's way, and is not touched.
TEST_F(FileOutput, LeavesForeignFilesAlone) {
  const std::string path = folder_ + "/result";
  const std::string foreign = path + ".part-" + std::to_string(::getpid()) + "-0";
  std::ofstream(foreign) << "foreign";
  ASSERT_TRUE(write_file_whole(path, "text").has_value());
  EXPECT_EQ(content(path), "text");
  EXPECT_EQ(content(foreign), "foreign");
}

// A shell's >(command), and /dev/stdout in a pipeline: a link whose text names nothing.
TEST_F(FileOutput, WritesThroughToAPipeBehindALinkOfProc) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  EXPECT_TRUE(write_file_whole("/proc/self/fd/" + std::to_string(ends[1]), "through").has_value());
  std::array<char, 16> got{};
  EXPECT_EQ(::read(ends[0], got.data(), got.size()), 7);
  EXPECT_EQ(std::string(got.data()), "through");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(FileOutput, WritesThroughToDevices) {
  EXPECT_TRUE(write_file_whole("/dev/null", "text").has_value());
  if (::access("/dev/full", W_OK) == 0) {
    const auto full = write_file_whole("/dev/full", "text");
    ASSERT_FALSE(full.has_value());
    EXPECT_NE(full.error().find("No space"), std::string::npos) << full.error();
  }
}

}  // namespace
}  // namespace taintgraph::traces
