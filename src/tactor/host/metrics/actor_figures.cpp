// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/actor_figures.hpp"

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include <new>

namespace tactor::inline v0::internal {

constinit label_of_slot::chunk label_of_slot::nothing;

label_of_slot::label_of_slot() : parts_(new port::atomic<chunk*>[parts]) {
  for (std::size_t i = 0; i < parts; ++i)
    parts_[i].store(&nothing, relaxed);  // relaxed: no other thread knows it yet
}

label_of_slot::~label_of_slot() {
  for (std::size_t i = 0; i < parts; ++i) {
    chunk* const part = parts_[i].load(relaxed);  // relaxed: no thread uses it any more
    if (part != &nothing) delete part;
  }
}

void label_of_slot::set(std::uint32_t slot, std::uint32_t generation,
                        std::uint32_t label) noexcept {
  port::atomic<chunk*>& part = parts_[slot / in_part];
  // no mutant: as in `find`
  chunk* known = part.load(acquire);  // pairs: labels.part
  if (known == &nothing) {
    auto* const fresh = new (std::nothrow) chunk{};
    if (fresh == nullptr) return;
    // no mutant: as in `find`
    if (part.compare_exchange(known, fresh, acq_rel)) {  // pairs: labels.part
      known = fresh;
    } else {
      delete fresh;
    }
  }
  entry& at = (*known)[slot % in_part];
  at.label.store(label, relaxed);            // relaxed: read by the worker that runs the actor next
  at.generation.store(generation, relaxed);  // relaxed: as above
}

actor_figures::~actor_figures() {
  for (const port::atomic<times*>& each : times_)
    delete each.load(relaxed);  // relaxed: no thread uses it any more
}

bool actor_figures::prepare(actor_labels& labels) noexcept {
  if (is_ready()) return true;
  auto* const made = new (std::nothrow) std::array<port::counter, count>;
  if (made == nullptr) return false;
  taken_.reset(made);
  labels_ = &labels;
  // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
  is_ready_.store(true, release);  // pairs: figures.taken
  return true;
}

std::uint32_t actor_figures::find_label(const cell& c) noexcept {
  event_text path;
  this_thread().services->write_path(path, c);
  const std::uint32_t label = labels_->series.number_of(path.view());
  labels_->of_slot.set(c.slot, c.tenant, label);
  return label;
}

/// Returns: null if there is no memory.
actor_figures::times* actor_figures::times_of(std::uint32_t slot,
                                              std::uint32_t generation) noexcept {
  const label_of_slot::entry& found = labels_->of_slot.view().find(slot);
  port::atomic<times*>& at =
      times_[found.is_of(generation) ? found.number() : find_label(*program_memory.cells.at(slot))];
  times* known = at.load(relaxed);  // relaxed: of this thread
  if (known != nullptr) return known;
  known = new (std::nothrow) times;
  // no mutant: the scenarios have no labels; TSan sees it in stress.metrics
  if (known != nullptr) at.store(known, release);  // pairs: figures.times
  return known;
}

void actor_figures::record_latency(std::uint32_t slot, std::uint32_t generation,
                                   std::uint64_t ns) noexcept {
  if (times* const to = times_of(slot, generation)) to->latency.record(ns);
}

void actor_figures::record_duration(std::uint32_t slot, std::uint32_t generation,
                                    std::uint64_t ns) noexcept {
  if (times* const to = times_of(slot, generation)) to->duration.record(ns);
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
