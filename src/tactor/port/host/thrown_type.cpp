// SPDX-License-Identifier: BSL-1.0
#include "tactor/port/port.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <typeinfo>

namespace tactor::inline v0::port {

const void* thrown_type() noexcept {
  return abi::__cxa_current_exception_type();
}

bool is_caught_as(const void* thrown, const void* caught) noexcept {
  if (thrown == nullptr) return false;
  const auto& wanted = *static_cast<const std::type_info*>(caught);
  const auto* const type = static_cast<const std::type_info*>(thrown);
#if defined(__GLIBCXX__)
  // The runtime asks this when it looks for a handler. The exception itself is gone: bases are
  // found by their types alone.
  void* object = nullptr;
  return wanted.__do_catch(type, &object, 0);
#else
  return wanted == *type;
#endif
}

std::size_t write_type_name(const void* type, char* to, std::size_t capacity) noexcept {
  if (type == nullptr) return 0;
  const char* const mangled = static_cast<const std::type_info*>(type)->name();
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable{
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free};
  const char* const name = status == 0 ? readable.get() : mangled;
  const std::size_t length = std::min(std::strlen(name), capacity);
  std::copy_n(name, length, to);
  return length;
}

}  // namespace tactor::inline v0::port
