#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails when documentation points to nothing.

    tools/check_links.py [ROOT]

Checks every Markdown file that git knows or would add: the target of a relative link exists, and so does the heading that a
`#fragment` names; a path in `code` that begins with a folder of the repository exists; a target of `make` exists; a block of
README.md that begins with an SPDX line is, letter for letter, the example it is linked to. Examples, README.md and the guide
include of tactor only the headers for users: those that lie directly in src/tactor, or that docs/api.md names.

A source file or a folder in `code` may also be the end of a path, as `core/send/send.cpp`, `send.cpp` and `send/` are; that path exists.
An identifier in `code`, such as `name`, `name()`, `type::member` or `object.member`, occurs in the sources, and the parts of
`type::member` occur in one file. Comments do not count as sources. Plans and history are exempt (docs/spec.md, docs/conformance.md,
pages with the line "Design, not built yet.", CHANGELOG.md, docs/adr, docs/names.md, docs/verify-all.md); ALLOWED lists words of other tools.

A word of 7 to 12 hexadecimal digits is the id of a commit that HEAD contains, unless the clone is shallow and cannot know it.

docs/design/walks.md names a file below src/tactor and then functions of it, "`core/life/start_stop.cpp` `stop`": the file exists and the
names occur in it.
"""
import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
TOP = r"(?:src|tests|tools|docs|examples|cmake|benchmarks|\.ci)/"
PATH = re.compile(rf"(?<![\w./-]){TOP}[\w./-]*\w")
PATH_END = re.compile(r"(?<![\w./:*>}-])(?:\.\./)*([\w./-]*\w(?:\.[ch]pp(?![\w.])|/$))")
MAKE = re.compile(r"\bmake ([a-z][a-z-]*)\b")
PLANS = {"docs/spec.md", "docs/conformance.md"}  # these also name planned code
NOT_BUILT = "\nDesign, not built yet.\n"
HISTORY = re.compile(r"CHANGELOG\.md|docs/adr/|docs/names\.md|docs/verify-all\.md")
IDENTIFIER = re.compile(r"(?:[A-Za-z_]\w*(?:::|\.|->))*~?[A-Za-z_]\w*(?:<[^`]*>)?(?:\([^`]*\))?")
WORD = re.compile(r"[A-Za-z_]\w*")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
NOTES_NAME = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]*)+\b")
WALK = re.compile(r"`([\w./-]+\.[ch]pp)`((?:[\s,]+`[\w:~]+(?:\(\))?`)*)")
ALLOWED = {"TODO", "WFI", "ldm", "ldrd", "perf", "strd", "x"}  # x: any unit, as in x.hpp
COMMIT = re.compile(r"(?<![\w#./-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,12}(?![\w-])")
INCLUDED = re.compile(r'^\s*#\s*include\s*[<"]tactor/(\w+/[^>"]+)[>"]', re.M)
FOR_USERS = re.compile(r"README\.md|docs/guide/|examples/")
EXAMPLE = re.compile(r"\[(examples/[\w/]+\.cpp)\]\(\1\), complete:\s*```cpp\n(.*?)^```$", re.M | re.S)


def known_files(root, *patterns):
    listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
                            check=True, capture_output=True, text=True).stdout
    return [root / name for name in sorted(set(listed.split("\n")) - {""}) if (root / name).is_file()]


def commits_of(root):
    """The ids of the commits that HEAD contains; None if that is not known."""
    def git(*arguments):
        return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True).stdout.split()

    return None if git("rev-parse", "--is-shallow-repository") != ["false"] else git("rev-list", "HEAD")


def lost_commits(text, commits):
    for number, line in enumerate(blanked(text).split("\n"), 1):
        for word in COMMIT.findall(line):
            if not any(commit.startswith(word) for commit in commits):
                yield number, f"there is no commit {word}"


def code_of(file):
    text = file.read_text(encoding="utf-8", errors="replace")
    return COMMENT.sub(" ", text) if file.suffix in (".cpp", ".hpp", ".h") else text


class Names:
    """Every identifier of the sources, by file; names of files and folders count as well."""

    def __init__(self, root):
        self.files, self.known = [], set(ALLOWED)
        for file in known_files(root):
            path = file.relative_to(root)
            self.known |= set(WORD.findall(path.as_posix()))
            # A mutant is a copy of code; pages are what is checked.
            if file.suffix != ".md" and path.parts[:2] != ("tests", "mutants") and path.parts[0] != "docs":
                self.files.append(set(WORD.findall(code_of(file))))
        self.known = self.known.union(*self.files)
        for plan in PLANS:
            if (root / plan).exists():
                self.known |= set(NOTES_NAME.findall((root / plan).read_text(encoding="utf-8")))

    def unknown_in(self, code):
        """The complaint about one piece of code, or None."""
        name = re.split(r"[(<]", code)[0]
        if name.startswith("std::"):
            return None
        words = WORD.findall(name)
        unknown = [word for word in words if word not in self.known]
        if unknown:
            return f"nothing is called {unknown[0]}"
        if "::" in name and not any(set(words[-2:]) <= file for file in self.files):
            return f"no file holds {words[-2]} and {words[-1]}"
        return None


def anchors_of(text):
    """The fragments of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_links(page, text):
    for target in LINK.findall(CODE.sub("", FENCE.sub("", text))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            yield f"there is no {target}"
        elif fragment and fragment not in anchors_of(file.read_text(encoding="utf-8")):
            yield f"{path or page.name} has no heading #{fragment}"


def missing_paths(root, text):
    for code in CODE.findall(FENCE.sub("", text)):
        if any(sign in code for sign in "*<…"):
            continue  # a pattern
        for path in PATH.findall(code):
            if not (root / path).exists():
                yield f"there is no {path}"


def blanked(text):
    """The text without code blocks, with the same number of lines."""
    return FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)


def unknown_names(text, names):
    for number, line in enumerate(blanked(text).split("\n"), 1):
        for code in CODE.findall(line):
            wrong = names.unknown_in(code) if IDENTIFIER.fullmatch(code) and not COMMIT.fullmatch(code) else None
            if wrong:
                yield number, f"`{code}`: {wrong}"


def lost_steps(root, text):
    """Of docs/design/walks.md: missing files, and functions that their file does not hold."""
    text = blanked(text)
    for step in WALK.finditer(text):
        number, file = text[:step.start()].count("\n") + 1, root / "src/tactor" / step[1]
        if not file.is_file():
            yield number, f"there is no src/tactor/{step[1]}"
            continue
        words = set(WORD.findall(code_of(file)))
        for name in re.findall(r"`([^`]+)`", step[2]):
            if WORD.findall(name)[-1] not in words:
                yield number, f"src/tactor/{step[1]} does not hold {name}"


def lost_ends(text, paths):
    """Files, and folders with a "/" at their end, that are no end of one of the paths."""
    for number, line in enumerate(blanked(text).split("\n"), 1):
        for end in (end for code in CODE.findall(line) for end in PATH_END.findall(code)):
            if end.split(".")[0] not in ALLOWED and not any(path.endswith(f"/{end}") for path in paths):
                yield number, f"there is no {end}"


def missing_targets(text, targets):
    indented = "\n".join(re.findall(r"^    .*$", text, re.M))
    for code in [*CODE.findall(text), indented]:
        for target in MAKE.findall(code):
            if target not in targets:
                yield f"the Makefile has no target {target}"


def differing_examples(root, text):
    for path, shown in EXAMPLE.findall(text):
        if (root / path).read_text(encoding="utf-8") != shown:
            yield f"{path} is not what is shown"


def inner_includes(root):
    api = root / "docs/api.md"
    for_users = set(re.findall(r"`tactor/([\w/]+\.hpp)`", api.read_text(encoding="utf-8"))) if api.exists() else set()
    for file in known_files(root, "*.md", "*.cpp", "*.hpp"):
        name = file.relative_to(root).as_posix()
        if FOR_USERS.match(name):
            for header in set(INCLUDED.findall(file.read_text(encoding="utf-8"))) - for_users:
                yield f"{name}: includes tactor/{header}, which is no header for users"


def problems(root):
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(encoding="utf-8"), re.M))
    names, commits = Names(root), commits_of(root)
    files = [file.relative_to(root) for file in known_files(root)]
    paths = {f"/{file.as_posix()}" for file in files} | {f"/{folder.as_posix()}/" for file in files for folder in file.parents}
    yield from inner_includes(root)
    for page in known_files(root, "*.md"):
        text = page.read_text(encoding="utf-8")
        name = page.relative_to(root).as_posix()
        found, in_lines = [*broken_links(page, text)], []
        if NOT_BUILT not in text:
            found += missing_targets(text, targets)
        if name not in PLANS and NOT_BUILT not in text:
            found += missing_paths(root, text)
            if not HISTORY.match(name):
                in_lines += [*unknown_names(text, names), *lost_ends(text, paths)]
        if commits:
            in_lines += lost_commits(text, commits)
        if name == "docs/design/walks.md":
            in_lines += lost_steps(root, text)
        if name == "README.md":
            found += differing_examples(root, text)
            if not EXAMPLE.search(text):
                found.append("shows no complete example")
        yield from (f"{name}: {what}" for what in found)
        yield from (f"{name}:{number}: {what}" for number, what in in_lines)


def main(arguments):
    errors = list(problems(pathlib.Path(arguments[0] if arguments else ".").resolve()))
    print("\n".join(errors) if errors else "links: all lead somewhere")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
