// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/actor_figures.hpp"

#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include <cstddef>
#include <new>

namespace tactor::inline v0::internal {

void label_of_slot::set(std::uint32_t slot, std::uint32_t tenant, std::uint32_t label) noexcept {
  try {
    if (slot >= entries_.size()) entries_.resize(slot + std::size_t{1});
  } catch (const std::bad_alloc&) {
    return;  // the label is looked up again in the next turn
  }
  entries_[slot] = {.tenant = tenant, .label = label};
}

actor_figures::~actor_figures() {
  for (const port::atomic<times*>& each : times_)
    delete each.load(relaxed);  // relaxed: no thread uses it any more
}

bool actor_figures::prepare(actor_series& series) noexcept {
  if (is_ready()) return true;
  auto* const made = new (std::nothrow) std::array<port::counter, count>;
  if (made == nullptr) return false;
  taken_.reset(made);
  series_ = &series;
  // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
  is_ready_.store(true, release);  // pairs: figures.taken
  return true;
}

std::uint32_t actor_figures::find_label(std::uint32_t slot, std::uint32_t tenant) noexcept {
  event_text path;
  this_thread().services->write_path(path, *program_memory.cells.at(slot));
  const std::uint32_t label = series_->number_of(path.view());
  labels_.set(slot, tenant, label);
  return label;
}

/// Returns: null if there is no memory.
actor_figures::times* actor_figures::times_of(std::uint32_t slot, std::uint32_t tenant) noexcept {
  port::atomic<times*>& at = times_[label_of(slot, tenant)];
  times* known = at.load(relaxed);  // relaxed: of this thread
  if (known != nullptr) return known;
  known = new (std::nothrow) times;
  // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
  if (known != nullptr) at.store(known, release);  // pairs: figures.times
  return known;
}

void actor_figures::record_latency(std::uint32_t slot, std::uint32_t tenant,
                                   std::uint64_t ns) noexcept {
  if (times* const to = times_of(slot, tenant)) to->latency.record(ns);
}

void actor_figures::record_duration(std::uint32_t slot, std::uint32_t tenant,
                                    std::uint64_t ns) noexcept {
  if (times* const to = times_of(slot, tenant)) to->duration.record(ns);
}

void actor_figures::add_to(std::uint32_t label, figures& sums) const noexcept {
  // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
  if (is_ready_.load(acquire)) sums.taken += (*taken_)[label].value();  // pairs: figures.taken
  // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
  const times* const measured = times_[label].load(acquire);  // pairs: figures.times
  if (measured == nullptr) return;
  measured->duration.add_to(sums.duration);
  measured->latency.add_to(sums.latency);
}

}  // namespace tactor::inline v0::internal
