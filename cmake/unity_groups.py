#!/usr/bin/env python3
"""Sorts C++ files into groups that can be compiled as one: unity_groups.py SIZE FILE... prints GROUP;FILE lines.

A name that is private to one file of a group (in an unnamed namespace) must be no other file's, private or out of
a header. Neighbours stay together where they can: they include the same headers.
"""
import functools
import pathlib
import re
import sys

COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
SOURCE = pathlib.Path(__file__).resolve().parent.parent
KEYWORDS = {"const", "constexpr", "noexcept", "override", "requires", "static", "inline", "return"}


def bare(text):
    """Without comments, texts and lines of the preprocessor."""
    return DIRECTIVE.sub("", COMMENT_OR_TEXT.sub('""', text))


def scopes(code):
    """(namespace, statement up to its ';' or '{') of every declaration at the level of namespaces."""
    stack = []  # a namespace's name, or None for the braces of anything else
    begin = 0
    for position, char in enumerate(code):
        if char not in "{};":
            continue
        inside_other = any(scope is None for scope in stack)
        head = code[begin:position].strip()
        begin = position + 1
        if char == ";":
            if not inside_other and head:
                yield list(stack), head
        elif char == "{":
            namespace = re.search(r"\bnamespace\s*([\w:]*)$", head)
            if not namespace and not inside_other:
                yield list(stack), head
            stack.append(namespace.group(1) if namespace else None)
        elif stack:
            stack.pop()


def declared(head):
    """The name that a declaration declares; None where it declares none."""
    test = re.match(r"(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\s*\(\s*(\w+)\s*,\s*(\w+)", head)
    if test:
        return f"{test.group(1)}_{test.group(2)}_Test"
    before = None
    while before != head:  # template arguments, innermost first
        before, head = head, re.sub(r"<[^<>()]*(?:\([^()]*\)[^<>()]*)*>", "", head)
    head = re.sub(r"\[\[.*?\]\]", "", head)
    for pattern in (r"\b(?:struct|class|enum class|enum|union|concept)\s+(\w+)\s*(?:final\s*)?(?::.*)?$",
                    r"^using\s+(\w+)\s*=", r"^(?:template\s*)?[^=(]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|$)",
                    r"^[^=(]*?\b(\w+)\s*\("):
        found = re.search(pattern, head, re.DOTALL)
        if found and found.group(1) not in KEYWORDS:
            return None if re.match(r"(using|namespace)\b", head) and pattern[1:6] != "using" else found.group(1)
    return None


@functools.cache
def names(path):
    """(private, shared) names that a file declares in namespaces."""
    private, shared = set(), set()
    for stack, head in scopes(bare(path.read_text())):
        name = declared(head)
        if name:
            (private if "" in stack or head.startswith("static ") else shared).add(name)
    return private, shared


@functools.cache
def included(path):
    """The project's headers that a file sees, directly or not."""
    seen = set()
    for name in INCLUDE.findall(path.read_text()):
        header = SOURCE / name
        if header.is_file():
            seen |= {header} | included(header)
    return seen


class Group:
    def __init__(self):
        self.files, self.private, self.visible = [], set(), set()

    def takes(self, private, visible):
        return not (private & (self.private | self.visible) or self.private & visible)

    def add(self, file, private, visible):
        self.files.append(file)
        self.private |= private
        self.visible |= visible


def main():
    size, files = int(sys.argv[1]), [pathlib.Path(file) for file in sys.argv[2:]]
    groups = []
    for file in files:
        private = names(file)[0]
        visible = names(file)[1].union(*(names(header)[1] for header in included(file)))
        group = next((g for g in groups if len(g.files) < size and g.takes(private, visible)), None)
        if group is None:
            group = Group()
            groups.append(group)
        group.add(file, private, visible)
    for index, group in enumerate(groups):
        for file in group.files:
            print(f"{index};{file}")


if __name__ == "__main__":
    main()
