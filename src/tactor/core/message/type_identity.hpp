// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {

/// The type of a message, as a value: made by the compiler, without RTTI and without registration.
///
/// A type is identified by a hash of its name, its size and its alignment, so its identity is equal
/// in every shared library. A name that other files or functions may give to another type (see
/// `identity_of`) does not suffice: such a type also has a key.
struct type_identity {
  std::uintptr_t hash = 0;
  const void* key = nullptr;  // the address of a variable of the type's own, or null
  std::string_view name;      // for people, as the compiler spells it; ends with a zero

  friend constexpr bool operator==(const type_identity& a, const type_identity& b) noexcept {
    return a.hash == b.hash && a.key == b.key;
  }
};

/// A message type that fixes its name: `static constexpr const char* type_name = "shop.order"`. Its
/// identity then survives a change of namespace or compiler; the program must make sure that no
/// other type has this name.
template <class Type>
concept names_itself = requires {
  { Type::type_name } -> std::convertible_to<std::string_view>;
};

namespace internal {

/// FNV-1a of 64 bits.
class name_hash {
public:
  constexpr void add(std::uint64_t piece) noexcept { value_ = (value_ ^ piece) * prime; }
  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }
  /// As much of it as fits a word.
  [[nodiscard]] constexpr std::uintptr_t word() const noexcept {
    return static_cast<std::uintptr_t>(value_);
  }

private:
  static constexpr std::uint64_t prime = 0x100'0000'01B3;

  std::uint64_t value_ = 0xCBF2'9CE4'8422'2325;
};

constexpr bool is_of_a_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

#if defined(__clang__)

inline constexpr const char* words_of_the_language[] = {
    "int",     "unsigned", "signed",  "char",     "short",    "long",     "bool",
    "float",   "double",   "void",    "const",    "noexcept", "true",     "false",
    "nullptr", "wchar_t",  "char8_t", "char16_t", "char32_t", "__int128", "volatile"};

constexpr bool is_of_the_language(std::string_view word) noexcept {
  if (word[0] >= '0' && word[0] <= '9') return true;
  for (const char* each : words_of_the_language)
    if (word == each) return true;
  return false;
}

/// clang spells a class local to a function without the function. So a name without a namespace
/// counts as local, like `(anonymous namespace)` and `(lambda at …)`. A class inside a local class
/// is not recognised.
constexpr bool may_name_several_types(std::string_view name) noexcept {
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < name.size(); begin = end + 1) {
    for (end = begin; end < name.size() && is_of_a_word(name[end]);)
      ++end;
    if (end == begin) continue;
    const bool is_inside = begin != 0 && name[begin - 1] == ':';
    const bool is_scope = end != name.size() && name[end] == ':';
    if (!is_inside && !is_scope && !is_of_the_language(name.substr(begin, end - begin)))
      return true;
  }
  return false;
}
/// Tells whether a name must be checked with `may_name_several_types`, judged by its characters.
struct name_suspicion {
  bool scoped = false;
  bool compound = false;
  constexpr void look_at(char c) noexcept {
    scoped = scoped || c == ':';
    compound = compound || c == '<' || c == '(';
  }
  [[nodiscard]] constexpr bool needs_a_look() const noexcept { return compound || !scoped; }
};

#else

/// g++ spells `{anonymous}::a`, `f(int) const::a`, `<lambda(int)>` and `<unnamed struct>`.
constexpr bool may_name_several_types(std::string_view name) noexcept {
  bool behind_parameters = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    switch (name[i]) {
    case '{':
      return true;
    case '<':
      if (name.substr(i + 1, 7) == "lambda(" || name.substr(i + 1, 7) == "unnamed") return true;
      [[fallthrough]];
    case '(':
    case '>':
    case ',':
      behind_parameters = false;
      break;
    case ')':
      behind_parameters = true;
      break;
    case ':':
      if (behind_parameters) return true;
      break;
    default:
      break;
    }
  }
  return false;
}
/// Tells whether a name must be checked with `may_name_several_types`, judged by its characters.
struct name_suspicion {
  bool compound = false;
  constexpr void look_at(char c) noexcept {
    compound = compound || c == '<' || c == '(' || c == '{';
  }
  [[nodiscard]] constexpr bool needs_a_look() const noexcept { return compound; }
};

#endif

struct spelling {
  const char* text;
  std::size_t size;
};
/// The name of `Type` with a prefix and one `]` behind it.
template <class Type>
consteval spelling spell() noexcept {
  return {.text = __PRETTY_FUNCTION__, .size = sizeof(__PRETTY_FUNCTION__) - 1};
}
inline constexpr std::size_t before_the_name = spell<int>().size - sizeof("int]") + 1;

/// The name alone, so that an image does not hold the prefix once for each type.
template <std::size_t Size>
struct spelled_name {
  std::uintptr_t hash;
  bool may_name_several;
  char text[Size + 1];
};
/// One pass over the characters: the compiler spends most of its time here.
template <std::size_t Size>
consteval spelled_name<Size> read_name(const char* from) noexcept {
  spelled_name<Size> name{};
  name_hash hash;
  name_suspicion suspicion;
  for (std::size_t i = 0; i != Size; ++i) {
    const char c = from[i];
    name.text[i] = c;
    hash.add(static_cast<unsigned char>(c));
    suspicion.look_at(c);
  }
  name.hash = hash.word();
  name.may_name_several = suspicion.needs_a_look() && may_name_several_types({name.text, Size});
  return name;
}
template <class Type>
inline constexpr auto spelled =
    read_name<spell<Type>().size - before_the_name - 1>(spell<Type>().text + before_the_name);

constexpr std::uintptr_t hash_of(std::string_view name) noexcept {
  name_hash hash;
  for (const char each : name)
    hash.add(static_cast<unsigned char>(each));
  return hash.word();
}
constexpr std::uintptr_t mixed(std::uintptr_t hash, std::size_t size,
                               std::size_t alignment) noexcept {
  name_hash all;
  all.add(hash);
  all.add(size);
  all.add(alignment);
  return all.word();
}

template <class Type>
consteval type_identity identify() noexcept {
  if constexpr (names_itself<Type>) {
    return {.hash = mixed(hash_of(Type::type_name), sizeof(Type), alignof(Type)),
            .key = nullptr,
            .name = Type::type_name};
  } else {
    constexpr const auto& name = spelled<Type>;
    return {.hash = mixed(name.hash, sizeof(Type), alignof(Type)),
            .key = name.may_name_several ? &name : nullptr,
            .name = {name.text, sizeof(name.text) - 1}};
  }
}

}  // namespace internal

/// The identity of `Type`. With a key: a type in an anonymous namespace, local to a function or
/// without a name, a lambda, and a template with such an argument; with clang, which does not say
/// what is local to a function, also a type of the global namespace.
template <class Type>
inline constexpr type_identity identity_of = internal::identify<Type>();

/// The name of `Type`, for people: its `type_name`, or the compiler's spelling.
template <class Type>
inline constexpr std::string_view type_name_of = identity_of<Type>.name;

static_assert(type_name_of<int> == "int");

}  // namespace tactor::inline v0
