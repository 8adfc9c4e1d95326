// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/zero_pages.hpp"

#include <sys/mman.h>

namespace tactor::inline v0::internal {

zero_pages::zero_pages(std::size_t size) noexcept : size_(size) {
  void* const start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start != MAP_FAILED) start_ = start;
}

zero_pages::~zero_pages() {
  if (start_ != nullptr) (void)::munmap(start_, size_);
}

}  // namespace tactor::inline v0::internal
