#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails when a file uses a name of the standard library and does not include the header of that name itself.

    tools/check_includes.py [ROOT]

Looks at the headers of src/tactor, which users include in any order, and at the examples, which users copy. Their builds precompile the
standard headers, so the compiler would not notice. A name that HEADERS does not know is an error, too: add it.
"""
import pathlib
import re
import sys

# header -> names that it gives; `name*` stands for all names that begin so, `*name` for all that end so. A name of several headers may
# come from any of them.
HEADERS = {
    "algorithm": "all_of any_of none_of clamp copy copy_n count count_if equal fill find find_if is_sorted max max_element min "
                 "adjacent_find push_heap pop_heap sort_heap sort search shuffle remove remove_if rotate ranges::*",
    "array": "array size to_array get",
    "atomic": "atomic atomic_flag atomic_ref memory_order*",
    "bit": "bit_cast bit_ceil bit_width countr_zero endian has_single_bit popcount",
    "cerrno": "",
    "charconv": "from_chars to_chars",
    "chrono": "chrono chrono::* chrono_literals milli nano",
    "cmath": "llround",
    "compare": "strong_ordering",
    "concepts": "convertible_to derived_from integral invocable same_as unsigned_integral",
    "condition_variable": "condition_variable",
    "coroutine": "coroutine_handle suspend_always suspend_never",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t to_integer",
    "cstdint": "int8_t int16_t int32_t int64_t intptr_t uint8_t uint16_t uint32_t uint64_t uintptr_t",
    "cstdio": "FILE clearerr fclose fflush fgets fopen fprintf fputs fwrite printf puts remove setvbuf size_t snprintf",
    "cstdlib": "abort aligned_alloc atoi atol calloc exit free getenv malloc size_t strtoull system",
    "cstring": "memcmp memcpy memset size_t strerror strlen",
    "ctime": "time_t size_t",
    "deque": "deque size",
    "exception": "exception terminate",
    "expected": "expected unexpect unexpected",
    "filesystem": "filesystem::*",
    "fstream": "ifstream ofstream streamsize getline",
    "functional": "function hash invoke move_only_function ref",
    "future": "async future future_status launch promise shared_future",
    "iosfwd": "basic_ostream basic_streambuf ostream",
    "iostream": "cerr cin cout ostream streamsize",
    "istream": "getline streamsize",
    "iterator": "istreambuf_iterator size ssize",
    "latch": "latch",
    "limits": "numeric_limits",
    "map": "map",
    "memory": "align construct_at destroy_at destroy_n enable_shared_from_this make_shared make_unique shared_ptr unique_ptr "
              "uninitialized_default_construct_n weak_ptr",
    "mutex": "lock_guard mutex recursive_mutex scoped_lock try_to_lock unique_lock",
    "new": "align_val_t bad_alloc exception launder nothrow",
    "numeric": "accumulate",
    "optional": "hash in_place nullopt optional",
    "ostream": "basic_ostream ostream streamsize",
    "random": "minstd_rand mt19937 mt19937_64 uniform_*",
    "ranges": "ranges::*",
    "ratio": "nano pico ratio ratio_divide",
    "set": "multiset set",
    "source_location": "source_location",
    "span": "as_bytes size span",
    "sstream": "istringstream getline",
    "stdexcept": "invalid_argument logic_error out_of_range range_error runtime_error",
    "streambuf": "basic_streambuf streamsize",
    "string": "erase erase_if getline hash size stoi stoul stoull string to_string",
    "string_view": "hash size string_view",
    "system_error": "errc error_code generic_category hash make_error_code system_category system_error",
    "thread": "jthread this_thread::* thread",
    "tuple": "apply get tuple tuple_size_v",
    "type_traits": "is_* *_t *_v bool_constant integral_constant true_type false_type",
    "typeinfo": "type_info",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "as_const declval exchange forward get in_place* index_sequence* move pair swap to_underlying tuple_size_v unreachable",
    "variant": "get get_if hash holds_alternative monostate variant",
    "vector": "erase erase_if size vector",
}
NAME = re.compile(r"\bstd::((?:chrono|filesystem|ranges|this_thread)::\w+|\w+)")
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"')
# A place that says why it does not include the header, to clang-tidy and to this check.
EXEMPT = re.compile(r"// NOLINTBEGIN\(misc-include-cleaner\).*?// NOLINTEND|// NOLINTNEXTLINE\(misc-include-cleaner\)[^\n]*\n[^\n]*", re.S)


def headers_by_name():
    exact, patterns = {}, []
    for header, names in HEADERS.items():
        for name in names.split():
            if "*" in name:
                patterns.append((re.compile(re.escape(name).replace(r"\*", r"\w*") + r"\Z"), header))
            else:
                exact.setdefault(name, set()).add(header)
    return exact, patterns


EXACT, PATTERNS = headers_by_name()


def headers_of(name):
    return EXACT.get(name, set()) | {header for pattern, header in PATTERNS if pattern.match(name)}


def files_of(root):
    yield from (file for file in sorted((root / "src/tactor").rglob("*.hpp")) if not file.name.endswith(".test.hpp"))
    yield from sorted((root / "examples").rglob("*.[ch]pp"))


def included_by(file):
    """The standard headers that a file includes. An example has also what its own header includes."""
    own = file.with_suffix(".hpp")
    texts = [part.read_text(encoding="utf-8") for part in {file, own} if part.is_file()]
    return {header for text in texts for header in re.findall(r"^\s*#\s*include\s+<([^>]+)>", text, re.M)}


def complaints_about(file, root):
    text = file.read_text(encoding="utf-8")
    included = included_by(file)
    seen = set()
    code = COMMENT_OR_TEXT.sub("", EXEMPT.sub(lambda place: "\n" * place[0].count("\n"), text))
    for number, line in enumerate(code.splitlines(), 1):
        for name in NAME.findall(line):
            where, possible = f"{file.relative_to(root)}:{number}", headers_of(name)
            if name in seen or possible & included:
                continue
            seen.add(name)
            if possible:
                yield f"{where}: std::{name} needs #include <{sorted(possible)[0]}>"
            else:
                yield f"{where}: tools/check_includes.py does not know the header of std::{name}: add it to HEADERS"


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else ".").resolve()
    complaints = [complaint for file in files_of(root) for complaint in complaints_about(file, root)]
    for complaint in complaints:
        print(complaint)
    if not complaints:
        print("includes: every file includes the standard headers that it uses")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
