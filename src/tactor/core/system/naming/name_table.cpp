// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/naming/name_table.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"

#include <new>

namespace tactor::inline v0::internal {
namespace {

std::size_t bytes_for(std::size_t buckets) {
  return buckets * sizeof(actor_name*);
}
envelope& block_of(actor_name& name) {
  auto* const start = reinterpret_cast<std::byte*>(&name) - payload_offset(alignof(actor_name));
  return *std::launder(reinterpret_cast<envelope*>(start));
}

}  // namespace

name_table::~name_table() {
  if (buckets_ != first_)
    program_memory.blocks.release(static_cast<void*>(buckets_), bytes_for(bucket_count_),
                                  alignof(actor_name*));
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
    if (size_ >= 2 * bucket_count_) grow();
    name->next = bucket(hash);
    bucket(hash) = name;
    ++size_;
    owner.rare().name = name;
  }
  mutex_.unlock();
  if (!taken) return {};
  program_memory.envelopes.release(here.envelopes, *e);
  return std::unexpected{name_error::taken};
}

void name_table::erase(thread_record& here, cell& owner) noexcept {
  actor_name* const name = owner.rare().name;
  if (name == nullptr) return;
  {
    const lock_guard guard{mutex_};
    actor_name** link = &bucket(name->hash);
    while (*link != name)
      link = &(*link)->next;
    *link = name->next;
    --size_;
    owner.rare().name = nullptr;
  }
  program_memory.envelopes.release(here.envelopes, block_of(*name));
}

/// Tells most parents apart.
std::uint32_t name_table::number_of(const cell& parent) const noexcept {
  actor_numbers* const numbers = numbers_.get();
  if (numbers == nullptr) return parent.slot;
  if (parent.guardian) return 0;
  if (parent.rare().name != nullptr) return parent.rare().name->hash;
  return numbers->number_of({.slot = parent.slot, .generation = parent.tenant});
}

std::uint32_t name_table::hash_of(const cell* parent, std::string_view text) const noexcept {
  std::uint32_t hash = 0x811C'9DC5u ^ (parent == nullptr ? 0u : number_of(*parent) * 0x9E37'79B9u);
  for (const char letter : text)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x0100'0193u;
  return hash;
}

actor_name* name_table::look_up(const cell* parent, std::string_view text,
                                std::uint32_t hash) const noexcept {
  actor_name* name = bucket(hash);
  while (name != nullptr && (name->hash != hash || name->parent != parent || name->text() != text))
    name = name->next;
  return name;
}

/// Without memory the table keeps its size and its chains become longer.
void name_table::grow() noexcept {
  const std::size_t count = 4 * bucket_count_;
  void* const storage = program_memory.blocks.allocate(bytes_for(count), alignof(actor_name*));
  if (storage == nullptr) return;
  auto** const fresh = static_cast<actor_name**>(storage);
  for (std::size_t i = 0; i < count; ++i)
    fresh[i] = nullptr;
  for (std::size_t i = 0; i < bucket_count_; ++i) {
    for (actor_name* name = buckets_[i]; name != nullptr;) {
      actor_name* const next = name->next;
      actor_name*& to = fresh[name->hash & (count - 1)];
      name->next = to;
      to = name;
      name = next;
    }
  }
  if (buckets_ != first_)
    program_memory.blocks.release(static_cast<void*>(buckets_), bytes_for(bucket_count_),
                                  alignof(actor_name*));
  buckets_ = fresh;
  bucket_count_ = count;
}

}  // namespace tactor::inline v0::internal
