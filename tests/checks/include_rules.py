#!/usr/bin/env python3
"""Checks who includes and links whom: include_rules.py [--print | --write] [ROOT]. Prints each violation as
file:line: reason, and then how many files and arrows there are; exit status 1 if any rule is violated.

folders.py says who may; folder_rules.py, library_rules.py and link_rules.py check it. --print prints the list of
folders that stands in CONTRIBUTING.md, --write puts it there.
"""
import argparse
import sys
import textwrap
from collections import defaultdict
from pathlib import Path

import cycles
import folders
import library_rules
from cmake_targets import Project
from folder_rules import Tree
from link_rules import Links

DOCUMENT = "CONTRIBUTING.md"
BEGIN = "<!-- Written by tests/checks/include_rules.py --write. -->\n```\n"
END = "```\n<!-- End of the list of folders. -->\n"


def short(names):
    """Folders in one line, those with the same folder above them together: a/{b,c}."""
    grouped = defaultdict(list)
    for name in sorted(names):
        above, _, last = name.rpartition("/")
        grouped[above].append(last)
    return " ".join((above + "/" if above else "") + (lasts[0] if len(lasts) == 1 else "{" + ",".join(lasts) + "}")
                    for above, lasts in grouped.items())


def with_folders_above(folder):
    """a/b/c: a, a/b, a/b/c."""
    parts = folder.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def folder_list(tables):
    """The folders as a tree, each with those it may include."""
    order = {}  # a folder and those above it: where the first of its folders stands in the table
    for position, folder in enumerate(tables.FOLDERS):
        for name in with_folders_above(folder):
            order.setdefault(name, position)
    lines = []
    for name in sorted(order, key=lambda name: [order[above] for above in with_folders_above(name)]):
        label = "  " * name.count("/") + name.rpartition("/")[2]
        targets = {*tables.FOLDERS.get(name, ()), *(there for here, there in tables.UPWARD if here == name)}
        text = short(targets) if targets else "-" if name in tables.FOLDERS else ""
        wrapped = textwrap.wrap(text, 92, break_long_words=False, break_on_hyphens=False) or [""]
        lines += [f"{first:<18}{rest}".rstrip() for first, rest in zip([label] + [""] * len(wrapped), wrapped)]
    return "\n".join(lines + [f"{'tests':<18}all"]) + "\n"


def check_document(root, tables):
    """A violation if the document's list is not the tables'."""
    if BEGIN + folder_list(tables) + END not in (root / DOCUMENT).read_text(encoding="utf-8"):
        yield DOCUMENT, 0, "the list of folders is out of date: run tests/checks/include_rules.py --write"


def write_document(root, tables):
    text = (root / DOCUMENT).read_text(encoding="utf-8")
    begin, end = text.index(BEGIN), text.index(END)
    (root / DOCUMENT).write_text(text[:begin] + BEGIN + folder_list(tables) + text[end:], encoding="utf-8")


def check_links(tree):
    links = Links(tree.sources, Project(tree.root).targets, tree.tables.HEADERS)
    yield from links.check(tree.tables.LINKED_ANYWAY, tree.tables.UNLINKED)
    for path in links.uncompiled():
        yield path, 0, "no target in the CMakeLists.txt files compiles it"
    graph = links.graph()
    for group in cycles.components(graph):
        yield "CMakeLists.txt", 0, "targets that link each other: " + " > ".join(cycles.shortest(graph, group))


def check(tree):
    """All violations of the tree."""
    yield from library_rules.check(tree.sources.values())
    for part in (tree.check_table, tree.check_includes, tree.check_unused, tree.check_circles, tree.check_units,
                 tree.check_forward_declarations, tree.check_namespaces):
        yield from part()
    yield from check_links(tree)


def main():
    parser = argparse.ArgumentParser(description="Checks who includes and links whom.")
    parser.add_argument("root", type=Path, nargs="?", default=Path(__file__).resolve().parents[2])
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--print", action="store_true", help="print the list of folders and what each may include")
    action.add_argument("--write", action="store_true", help=f"put that list into {DOCUMENT}")
    options = parser.parse_args()
    if options.print:
        print(folder_list(folders), end="")
        return 0
    if options.write:
        write_document(options.root, folders)
    tree = Tree(options.root, folders)
    violations = [*check(tree), *check_document(options.root, folders)]
    for path, line, reason in violations:
        print(f"{path}:{line}: {reason}" if line else f"{path}: {reason}")
    print(f"{len(tree.sources)} files, {len(tree.arrows)} arrows between folders, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
