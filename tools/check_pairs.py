#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails when an atomic access is not explained.

    tools/check_pairs.py src/tactor

An access that is not relaxed names the pair it belongs to, `// pairs: topic.name` (several with commas), and every
pair has a releasing and an acquiring side. A relaxed access says why that is enough, `// relaxed: reason`. seq_cst also says
what it ties together, `// seq_cst: reason`. The comment is on the lines of the statement or right above it.
Outside port/ there are no `std::atomic`, no stand-alone fences and no orders handed on in variables.
Tests (`*.test.cpp`, `*.model.cpp`) are not looked at: they have no pairs.
"""
import bisect
import collections
import pathlib
import re
import sys

ACQUIRES, RELEASES = {"acquire", "acq_rel", "seq_cst"}, {"release", "acq_rel", "seq_cst"}
SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".cc", ".hxx", ".cxx", ".ipp"}

# Raw strings do not occur in sources that hold atomics; a digit separator is not a quote.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.S)
# { a.load(acquire) } noexcept: a requirement in a concept, not an access
REQUIREMENT = re.compile(r"\{[^{};]*\}\s*noexcept")
ORDER = re.compile(r"(?<=[(,?:])\s*(?:(?:::)?(?:tactor::)?port::|tactor::|(?:std::)?memory_order(?:::|_))?"
                   r"(relaxed|acquire|release|acq_rel|seq_cst)\s*(?=[),:])")
TAGS = re.compile(r"\bpairs:\s*(\w+(?:\.\w+)+(?:\s*,\s*\w+(?:\.\w+)+)*)")
RELAXED_REASON = re.compile(r"\brelaxed:\s*\S")
SEQ_CST_REASON = re.compile(r"\bseq_cst:\s*\S")
FORBIDDEN = [
    (re.compile(r"\bstd\s*::\s*atomic(_flag|_ref)?\b"), "std::atomic stays in port/: use port::atomic"),
    (re.compile(r"\b(atomic_thread_fence|atomic_signal_fence|__sync_synchronize|__atomic_\w+)\b"),
     "no stand-alone fences and no atomic built-ins outside port/"),
    (re.compile(r"\bmemory_order\b(?!::|_)"), "an order in a variable hides its partner: spell it at the access"),
]


class source:
    """A file split into code (comments and strings blanked, same offsets) and comments by line."""

    def __init__(self, text):
        self.comments = collections.defaultdict(str)
        self.starts = [0] + [m.end() for m in re.finditer("\n", text)]
        self.code = TOKEN.sub(lambda token: self._blank(token), text)
        self.code = REQUIREMENT.sub(lambda m: re.sub(r"\w", " ", m[0]), self.code)
        self.code_lines = self.code.split("\n")

    def _blank(self, token):
        if token[0].startswith("/"):
            for offset, part in enumerate(token[0].split("\n")):
                self.comments[self.line(token.start()) + offset] += part
        return re.sub(r"[^\n]", " ", token[0])

    def line(self, offset):
        """The number of the line, from 1."""
        return bisect.bisect_right(self.starts, offset)

    def is_only_comment(self, line):
        return line in self.comments and not self.code_lines[line - 1].strip()

    def argument_of_a_call(self, offset):
        """True if the innermost bracket around `offset` is a round one."""
        depth = 0
        for c in reversed(self.code[:offset]):
            depth += (c in ")]}") - (c in "([{")
            if depth < 0:
                return c == "("
        return False

    def statement(self, offset):
        """First and last line of the statement around `offset`."""
        first = max(self.code.rfind(c, 0, offset) for c in ";{}") + 1
        while first < offset and self.code[first].isspace():
            first += 1
        ends = [end for c in ";{}" if (end := self.code.find(c, offset)) >= 0]
        return self.line(first), self.line(min(ends, default=len(self.code)))

    def accesses(self):
        """(offset of the order, order) of every atomic access."""
        for match in ORDER.finditer(self.code):
            if self.argument_of_a_call(match.start(1)):
                yield match.start(1), match[1]

    def explanation(self, offset, pattern):
        """The match of `pattern` in the nearest comment, with its line."""
        for line in self.lines_that_may_explain(offset):
            found = pattern.search(self.comments.get(line, ""))
            if found:
                return found, line
        return None, None

    def lines_that_may_explain(self, offset):
        """Numbers of the lines whose comments belong to the access at `offset`, nearest first."""
        here = self.line(offset)
        first, last = self.statement(offset)
        yield here
        yield from range(here + 1, last + 1)
        yield from range(here - 1, first - 1, -1)
        above = first - 1
        while self.is_only_comment(above):
            yield above
            above -= 1


class checker:
    def __init__(self):
        self.errors = []
        self.sides = collections.defaultdict(set)
        self.places = {}

    def access(self, where, text, offset, order):
        """Checks one access; returns the line of the comment that named its pair."""
        if order == "relaxed":
            if not text.explanation(offset, RELAXED_REASON)[0]:
                self.errors.append(f"{where}: say why relaxed is enough: `// relaxed: reason`")
            return None
        if order == "seq_cst" and not text.explanation(offset, SEQ_CST_REASON)[0]:
            self.errors.append(f"{where}: say what seq_cst ties together: `// seq_cst: reason`")
        tags, line = text.explanation(offset, TAGS)
        if not tags:
            self.errors.append(f"{where}: {order} without `// pairs: topic.name`")
            return None
        for tag in re.split(r"\s*,\s*", tags[1]):
            self.places.setdefault(tag, where)
            self.sides[tag] |= {"acquired"} if order in ACQUIRES else set()
            self.sides[tag] |= {"released"} if order in RELEASES else set()
        return line

    def file(self, name, content, is_port):
        text, used = source(content), set()
        for offset, order in text.accesses():
            used.add(self.access(f"{name}:{text.line(offset)}", text, offset, order))
        for line, comment in text.comments.items():
            if line not in used and re.match(r"//\s*pairs:", comment):
                self.errors.append(f"{name}:{line}: `pairs:` beside no access")
        for pattern, complaint in [] if is_port else FORBIDDEN:
            for match in pattern.finditer(text.code):
                self.errors.append(f"{name}:{text.line(match.start())}: {complaint}")

    def finish(self):
        for tag in sorted(self.sides):
            for side in sorted({"acquired", "released"} - self.sides[tag]):
                self.errors.append(f"{self.places[tag]}: pair {tag} is never {side}")
        return self.errors


def sources(root):
    """(path below `root`, contents) of every file that is looked at."""
    for file in sorted(root.rglob("*")):
        if file.suffix in SUFFIXES and ".test." not in file.name and ".model." not in file.name:
            yield file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")


def violations(root):
    check = checker()
    for name, content in sources(root):
        check.file(name, content, is_port=name.startswith("port/"))
    return check.finish()


def main(arguments):
    if len(arguments) != 1 or not pathlib.Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    found = violations(pathlib.Path(arguments[0]))
    print("\n".join(found) if found else "pairs: every atomic access is explained")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
