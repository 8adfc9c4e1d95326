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
  const entries* const all = of_label_.load(relaxed);  // relaxed: no thread uses it any more
  if (all == nullptr) return;
  for (const entry& each : *all)
    delete each.measured.load(relaxed);  // relaxed: as above
  delete all;
}

bool actor_figures::prepare(actor_series& series) noexcept {
  if (is_ready()) return true;
  auto* const made = new (std::nothrow) entries{};
  if (made == nullptr) return false;
  series_ = &series;
  // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
  of_label_.store(made, release);  // pairs: figures.of_label
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
  port::atomic<times*>& measured = at(slot, tenant).measured;
  times* known = measured.load(relaxed);  // relaxed: of this thread
  if (known != nullptr) return known;
  known = new (std::nothrow) times;
  // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
  if (known != nullptr) measured.store(known, release);  // pairs: figures.times
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
  const entries* const all = of_label_.load(acquire);  // pairs: figures.of_label
  if (all == nullptr) return;
  const entry& its = (*all)[label];
  sums.taken += its.taken.value();
  // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
  const times* const measured = its.measured.load(acquire);  // pairs: figures.times
  if (measured == nullptr) return;
  measured->duration.add_to(sums.duration);
  measured->latency.add_to(sums.latency);
}

}  // namespace tactor::inline v0::internal
