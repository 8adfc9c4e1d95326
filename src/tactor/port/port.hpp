// SPDX-License-Identifier: BSL-1.0
#pragma once

// The port is chosen by include path: exactly one folder of port/ is on it.
#if !__has_include("tactor_port.hpp")
#error                                                                                             \
    "tactor needs a port: link tactor::host (CMake), or add what pkg-config --cflags tactor prints"
#include <tactor_needs_a_port>
#endif
#include "tactor_port.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

/// The contract of a port, as concepts. A port is a folder with a `tactor_port.hpp` that defines
/// the names below in `tactor::port`; this header checks the chosen port, and `port.test.cpp` runs
/// on all of them.
namespace tactor::inline v0::port {

/// Shared memory between threads and interrupts, with an explicit order for every access.
template <class A, class T>
concept atomic_object = requires(A a, const A& c, T& expected, T value) {
  { c.load(acquire) } noexcept -> std::same_as<T>;
  { a.store(value, release) } noexcept;
  { a.exchange(value, acq_rel) } noexcept -> std::same_as<T>;
  // One order, that of success; on failure `expected` is the value found. Never fails spuriously.
  { a.compare_exchange(expected, value, acq_rel) } noexcept -> std::same_as<bool>;
};

/// An atomic number or set of bits; each operation returns the previous value.
template <class A, class T>
concept atomic_integer = atomic_object<A, T> && requires(A a, T value) {
  { a.fetch_add(value, relaxed) } noexcept -> std::same_as<T>;
  { a.fetch_sub(value, relaxed) } noexcept -> std::same_as<T>;
  { a.fetch_or(value, relaxed) } noexcept -> std::same_as<T>;
  { a.fetch_and(value, relaxed) } noexcept -> std::same_as<T>;
};

/// A default would hide the most important word of an atomic access, so none is allowed.
template <class A, class T>
concept has_default_order = requires(A a) { a.load(); } || requires(A a, T v) { a.store(v); } ||
                            requires(A a, T v) { a = v; } || std::convertible_to<A, T>;

/// A 64-bit statistic: one writer, any reader, never torn.
template <class C>
concept statistic = requires(C c, const C& r, std::uint64_t n) {
  { c.add(n) } noexcept;
  { r.value() } noexcept -> std::same_as<std::uint64_t>;
};

/// Plain data whose hand-over between threads is ordered by an atomic; the model port checks this.
template <class C, class T>
concept handed_over = requires(C c, const C& r, T value) {
  { r.get() } noexcept -> std::same_as<T>;
  { c.set(value) } noexcept;
};

/// Mutual exclusion: a lock on the host. On a target a `mutex` is nothing, since it has one thread,
/// and an `interrupt_mutex` masks interrupts.
template <class M>
concept critical_section = requires(M m) {
  { m.lock() } noexcept;
  { m.unlock() } noexcept;
};

static_assert(atomic_object<atomic<int*>, int*>);
static_assert(atomic_object<atomic<bool>, bool>);
static_assert(atomic_integer<atomic<std::uint32_t>, std::uint32_t>);
static_assert(atomic_integer<atomic<std::uintptr_t>, std::uintptr_t>);
static_assert(!has_default_order<atomic<std::uint32_t>, std::uint32_t>);
static_assert(statistic<counter>);
static_assert(handed_over<plain<int>, int>);
static_assert(critical_section<mutex> && critical_section<interrupt_mutex>);
static_assert(std::same_as<decltype(has_interrupts), const bool>);
static_assert(std::same_as<decltype(names_features), const bool>);
static_assert(std::same_as<decltype(observes_messages), const bool>);
static_assert(std::same_as<decltype(in_interrupt()), bool>);
static_assert(sizeof(interrupts_masked) <= sizeof(void*));
static_assert(std::same_as<decltype(cpu_relax()), void>);
static_assert(std::same_as<decltype(has_real_layout), const bool>);
static_assert(cache_line >= sizeof(void*));
static_assert(std::same_as<decltype(lock_shards), const std::uint32_t>);
static_assert(sizes::actor_storage >= 4 * sizeof(void*) && sizes::first_slots > 0);

}  // namespace tactor::inline v0::port

namespace tactor::inline v0 {

// Memory orders are written on nearly every line that needs one, so they have short names.
using port::acq_rel;
using port::acquire;
using port::relaxed;
using port::release;
using port::seq_cst;

}  // namespace tactor::inline v0
