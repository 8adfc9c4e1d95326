// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/name_table.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include <new>

namespace tactor::inline v0::internal {
namespace {

envelope& block_of(actor_name& name) {
  auto* const start = reinterpret_cast<std::byte*>(&name) - payload_offset(alignof(actor_name));
  return *std::launder(reinterpret_cast<envelope*>(start));
}

}  // namespace

name_table::~name_table() {
  names_.release(program_memory.blocks);
}

std::expected<void, name_error> name_table::insert(thread_record& here, cell& owner,
                                                   std::string_view text) noexcept {
  // The smallest block that fits; names are short, so it is never a large block.
  const unsigned size_class =
      envelope_pool::size_class_for(sizeof(actor_name) + text.size(), alignof(actor_name));
  envelope* const e = program_memory.envelopes.allocate(here.envelopes, size_class);
  if (e == nullptr) return std::unexpected{name_error::no_memory};
  std::byte* const at = reinterpret_cast<std::byte*>(e) + payload_offset(alignof(actor_name));
  const std::uint32_t hash = hash_of(owner.parent, text);
  auto* const name =
      ::new (static_cast<void*>(at)) actor_name{.next = nullptr,
                                                .parent = owner.parent,
                                                .owner = &owner,
                                                .hash = hash,
                                                .length = static_cast<std::uint8_t>(text.size())};
  auto* const letters = reinterpret_cast<char*>(name + 1);
  for (std::size_t i = 0; i < text.size(); ++i)
    letters[i] = text[i];

  mutex_.lock();
  const bool taken = look_up(owner.parent, text, hash) != nullptr;
  if (!taken) {
    names_.insert(*name, program_memory.blocks);
    owner.name = name;
  }
  mutex_.unlock();
  if (!taken) return {};
  program_memory.envelopes.release(here.envelopes, *e);
  return std::unexpected{name_error::taken};
}

void name_table::erase(thread_record& here, cell& owner) noexcept {
  actor_name* const name = owner.name;
  if (name == nullptr) return;
  {
    const lock_guard guard{mutex_};
    names_.erase(*name);
    owner.name = nullptr;
  }
  program_memory.envelopes.release(here.envelopes, block_of(*name));
}

/// Tells most parents apart.
std::uint32_t name_table::number_of(const cell& parent) const noexcept {
  if (numbers_ == nullptr) return parent.slot;
  if (parent.guardian) return 0;
  if (parent.name != nullptr) return parent.name->hash;
  return numbers_->number_of({.slot = parent.slot, .generation = parent.tenant});
}

std::uint32_t name_table::hash_of(const cell* parent, std::string_view text) const noexcept {
  std::uint32_t hash = 0x811C'9DC5u ^ (parent == nullptr ? 0u : number_of(*parent) * 0x9E37'79B9u);
  for (const char letter : text)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x0100'0193u;
  return hash;
}

actor_name* name_table::look_up(const cell* parent, std::string_view text,
                                std::uint32_t hash) const noexcept {
  return names_.find(
      hash, [&](const actor_name& name) { return name.parent == parent && name.text() == text; });
}

}  // namespace tactor::inline v0::internal
