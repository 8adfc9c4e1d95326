// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/lifecycle/extras/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/fault_handling.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"

// How an actor starts: all that a board needs whose actors neither fail nor end.
namespace tactor::inline v0::internal {

call_result start_instance(thread_record& here, cell& c, const failure* because,
                           failure& why) noexcept {
  const actor_type& type = *c.type;
  const message_operations& instance = type.instance;
  void* const storage = fits_in_slot(instance) ? c.storage() : new_instance(here, instance, why);
  if (storage == nullptr) return call_result::failed;
  c.current = nullptr;
  here.handling.store(nullptr, relaxed);  // relaxed: a hint
  const call_result made = kept_recipe(c).construct(c.rare().arguments, storage, c, why);
  if (made != call_result::done) {
    if (storage != c.storage()) free_block(here, storage, instance);
    return made;
  }
  c.object = storage;
  enter_stage(c, lifecycle_stage::running);
  call_result said = call_result::done;
  if (because != nullptr && c.started && type.post_restart != nullptr) {
    said = type.post_restart(storage, context_of(c), *because, why);
  } else if (type.pre_start != nullptr) {
    said = type.pre_start(storage, context_of(c), why);
  }
  if (said == call_result::done) c.started = true;
  return said;
}

void start(system_services& services, thread_record& here, cell& c) noexcept {
  const life_goes_on trace{here, c};
  failure& why = here.failures.get().why;
  if (start_instance(here, c, nullptr, why) != call_result::done)
    fail_to_start(services, here, c, nullptr, why);
}

void adopt(cell& parent, cell& child) noexcept {
  child.parent = &parent;
  child.previous_sibling = nullptr;
  child.next_sibling = parent.first_child;
  if (parent.first_child != nullptr) parent.first_child->previous_sibling = &child;
  parent.first_child = &child;
}

}  // namespace tactor::inline v0::internal
