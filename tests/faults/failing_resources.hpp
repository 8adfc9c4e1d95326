// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactor::faults {

/// The resources that a program asks the operating system for.
enum class resource : std::uint8_t { memory, thread };

/// From now on requests are counted, and the request with this number, counted from 0, fails.
void fail_request(std::size_t number) noexcept;
/// From now on all requests for threads fail.
void fail_all_threads() noexcept;
/// From now on every request for pages of so many bytes or more fails.
void fail_large_requests(std::size_t bytes) noexcept;
/// Returns: true if a request for so many bytes of pages fails.
[[nodiscard]] bool is_too_large(std::size_t bytes) noexcept;
/// No request fails any more.
void fail_nothing() noexcept;
/// Counts a request. Returns: whether it fails.
[[nodiscard]] bool request_fails(resource what = resource::memory) noexcept;
/// Counts the requests since `fail_request`.
[[nodiscard]] std::size_t requests() noexcept;

}  // namespace tactor::faults
