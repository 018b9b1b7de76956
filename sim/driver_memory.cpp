// Device memory, page-locked host memory, copies.
#include <new>

#include "sim/driver_entries.hpp"

namespace taintgraph::sim {

CUresult DriverEntries::allocate(ContextObject& context, CUdeviceptr* address, std::size_t size_bytes, Call call,
                                 StreamObject* stream) {
  if (size_bytes == 0) return misuse(call, "of no bytes", CUDA_ERROR_INVALID_VALUE);
  memory_.settle(timeline_.host());
  Allocation* allocation = nullptr;
  try {
    if (stream == nullptr) {
      allocation = memory_.allocate(size_bytes, context.serial, AllocationKind::context, struck_.lost);
    } else {
      VectorClock past = timeline_.clock(stream->slot);
      past.join(timeline_.host());
      allocation = memory_.allocate_after(past, size_bytes, context.serial, struck_.lost);
    }
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;  // the host has not the memory that the device is said to have
  }
  if (allocation == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = allocation->address;
  return CUDA_SUCCESS;
}

CUresult DriverEntries::cuMemAlloc(CUdeviceptr* address, std::size_t size_bytes) {
  return in_context({Call::cuMemAlloc, std::nullopt, {}}, [&](ContextObject& context) {
    return allocate(context, address, size_bytes, Call::cuMemAlloc, nullptr);
  });
}

Allocation* DriverEntries::allocation_to_free(CUdeviceptr address, Call call) {
  Allocation* const allocation = memory_.find(address);
  const char* what = nullptr;
  if (allocation == nullptr) {
    what = "of memory that is not allocated";
  } else if (allocation->address != address) {
    what = "of an address inside an allocation";
  } else if (allocation->free_queued) {
    what = "of memory whose free is queued already";
  }
  if (what == nullptr) return allocation;
  (void)misuse(call, what, CUDA_ERROR_INVALID_VALUE);
  return nullptr;
}

CUresult DriverEntries::cuMemFree(CUdeviceptr address) {
  return in_context({Call::cuMemFree, std::nullopt, {}}, [&](ContextObject&) {
    Allocation* const allocation = allocation_to_free(address, Call::cuMemFree);
    if (allocation == nullptr) return CUDA_ERROR_INVALID_VALUE;
    races_.freed(*allocation, Call::cuMemFree, timeline_.host());
    memory_.release(*allocation);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuMemAllocAsync(CUdeviceptr* address, std::size_t size_bytes, CUstream stream) {
  return on_stream(Call::cuMemAllocAsync, stream, {}, [&](ContextObject& context, StreamObject& object) {
    if (object.capture) return misuse(Call::cuMemAllocAsync, "on a capturing stream", CUDA_ERROR_NOT_SUPPORTED);
    const CUresult result = allocate(context, address, size_bytes, Call::cuMemAllocAsync, &object);
    if (result != CUDA_SUCCESS || struck_.lost) return result;
    submit(context, object, [&](Work& work) {
      work.kind = WorkKind::reserve;
      work.call = Call::cuMemAllocAsync;
      work.to = *address;
      work.size_bytes = size_bytes;
    });
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return on_stream(Call::cuMemFreeAsync, stream, {}, [&](ContextObject& context, StreamObject& object) {
    if (object.capture) return misuse(Call::cuMemFreeAsync, "on a capturing stream", CUDA_ERROR_NOT_SUPPORTED);
    Allocation* const allocation = allocation_to_free(address, Call::cuMemFreeAsync);
    if (allocation == nullptr) return CUDA_ERROR_INVALID_VALUE;
    submit(context, object, [&](Work& work) {
      work.kind = WorkKind::release;
      work.call = Call::cuMemFreeAsync;
      work.to = allocation->address;
      work.size_bytes = allocation->size_bytes;
    });
    const std::uint32_t slot = object.slot;
    memory_.queue_free(*allocation, {timeline_.clock(slot)[slot], slot, 0, Call::cuMemFreeAsync});
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuMemAllocHost(void** memory, std::size_t size_bytes) {
  return in_context({Call::cuMemAllocHost, std::nullopt, {}}, [&](ContextObject& context) {
    if (size_bytes == 0) return misuse(Call::cuMemAllocHost, "of no bytes", CUDA_ERROR_INVALID_VALUE);
    *memory = host_memory_.allocate(size_bytes, context.serial, struck_.lost).bytes.get();
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuMemFreeHost(void* memory) {
  return in_context({Call::cuMemFreeHost, std::nullopt, {}}, [&](ContextObject&) {
    HostAllocation* const allocation = host_memory_.find(memory, 0);
    if (allocation == nullptr || allocation->bytes.get() != memory) {
      return misuse(Call::cuMemFreeHost, "of memory that cuMemAllocHost did not give", CUDA_ERROR_INVALID_VALUE);
    }
    races_.freed(*allocation, Call::cuMemFreeHost, timeline_.host());
    host_memory_.release(*allocation);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return in_context({Call::cuMemGetInfo, std::nullopt, {}}, [&](ContextObject&) {
    memory_.settle(timeline_.host());
    *free_bytes = memory_.capacity() - memory_.used();
    *total_bytes = memory_.capacity();
    return CUDA_SUCCESS;
  });
}

bool DriverEntries::device_range_exists(CUdeviceptr address, std::size_t size_bytes, Call call) {
  if (memory_.find(address, size_bytes) != nullptr) return true;
  (void)misuse(call, "touches memory that is not allocated", CUDA_ERROR_INVALID_VALUE);
  return false;
}

CUresult DriverEntries::cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t size_bytes, CUstream stream) {
  constexpr Call kCall = Call::cuMemcpyHtoDAsync;
  return on_stream(kCall, stream, {}, [&](ContextObject& context, StreamObject& object) {
    if (size_bytes == 0) return CUDA_SUCCESS;
    if (!device_range_exists(to, size_bytes, kCall)) return CUDA_ERROR_INVALID_VALUE;
    const bool is_pinned = host_memory_.find(from, size_bytes) != nullptr;
    if (!is_pinned) (void)misuse(kCall, "from pageable host memory", CUDA_SUCCESS);
    submit(context, object, [&](Work& work) {
      work.kind = WorkKind::copy_to_device;
      work.call = kCall;
      work.to = to;
      work.size_bytes = size_bytes;
      work.host_from = static_cast<const std::byte*>(from);
      // Of a failed call the caller knows of no pending copy, so that its memory is read at once.
      if (is_pinned && struck_.write_limit == Work::kAllBytes) return;
      work.bytes.assign(work.host_from, work.host_from + size_bytes);
      work.host_from = nullptr;
    });
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t size_bytes, CUstream stream) {
  constexpr Call kCall = Call::cuMemcpyDtoHAsync;
  return on_stream(kCall, stream, {}, [&](ContextObject& context, StreamObject& object) {
    if (size_bytes == 0) return CUDA_SUCCESS;
    if (!device_range_exists(from, size_bytes, kCall)) return CUDA_ERROR_INVALID_VALUE;
    if (host_memory_.find(to, size_bytes) == nullptr) {
      return misuse(kCall, "to pageable host memory", CUDA_ERROR_INVALID_VALUE);
    }
    submit(context, object, [&](Work& work) {
      work.kind = WorkKind::copy_to_host;
      work.call = kCall;
      work.from = from;
      work.size_bytes = size_bytes;
      work.host_to = static_cast<std::byte*>(to);
    });
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t size_bytes, CUstream stream) {
  constexpr Call kCall = Call::cuMemcpyDtoDAsync;
  return on_stream(kCall, stream, {}, [&](ContextObject& context, StreamObject& object) {
    if (size_bytes == 0) return CUDA_SUCCESS;
    if (!device_range_exists(to, size_bytes, kCall) || !device_range_exists(from, size_bytes, kCall)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    submit(context, object, [&](Work& work) {
      work.kind = WorkKind::copy_on_device;
      work.call = kCall;
      work.to = to;
      work.from = from;
      work.size_bytes = size_bytes;
    });
    return CUDA_SUCCESS;
  });
}

}  // namespace taintgraph::sim
