"""Checks the tables of folders.py against the tree: who includes whom, forward declarations, namespaces, and cycles of
files and units. Violations are (path, line, reason); line 0 means the whole file.
"""
from collections import defaultdict
from functools import cached_property

import cycles
from cpp_text import SUFFIXES, Source

TOPS = ("broker", "config", "gpu", "protocol", "tests")
TABLES = "tests/checks/folders.py"


class Tree:
    """The sources below a folder, and the tables that they have to keep (the module folders, or alike)."""

    def __init__(self, root, tables):
        self.root, self.tables = root, tables
        self.sources = {}
        for path in sorted(path for top in TOPS for path in (root / top).rglob("*") if path.suffix in SUFFIXES):
            name = path.relative_to(root).as_posix()
            self.sources[name] = Source(name, path.read_text(encoding="utf-8"))

    @cached_property
    def product(self):
        """The sources but those of tests."""
        return [source for source in self.sources.values() if folder_of(source.path) != "tests"]

    def may_include(self, source, name):
        """Why the file `source` may not use the file `name`, or None."""
        here, there = folder_of(source), folder_of(name)
        tables = self.tables
        if here in (there, "tests"):
            return None
        if there not in tables.FOLDERS.get(here, ()) and (here, there) not in tables.UPWARD:
            return f"{here} may not include {there}"
        allowed = tables.VOCABULARY.get(there)
        if allowed and here.startswith("protocol/") and name not in allowed:
            return f"{here} may include of {there} only the vocabulary"
        return None

    # Who includes whom.

    def check_table(self):
        """Folders that are not in the table, entries without a folder, and entries out of order."""
        order = list(self.tables.FOLDERS)
        folders = {source.folder: source.path for source in reversed(self.product)}
        for folder in sorted(folders.keys() - set(order)):
            yield folders[folder], 0, f"{TABLES} has no entry for the folder {folder}"
        for folder, targets in self.tables.FOLDERS.items():
            if folder not in folders:
                yield TABLES, 0, f"FOLDERS: there are no sources in {folder}"
            for target in targets:
                if target not in order[:order.index(folder)]:
                    yield TABLES, 0, f"FOLDERS: {folder} includes {target}, which does not stand above it"

    def check_includes(self):
        for source in self.sources.values():
            for include in source.includes:
                if include.angled:
                    continue
                reason = self.may_include(source.path, include.name)
                if not reason and include.name not in self.sources and not (self.root / include.name).is_file():
                    reason = "there is no such file (paths start at the root of the project)"
                if reason:
                    yield source.path, include.line, f"#include of {include.name}: {reason}"

    @cached_property
    def arrows(self):
        """Which folder includes which, as pairs, and which files those are."""
        found = defaultdict(set)
        for source in self.product:
            for include in source.includes:
                if not include.angled and folder_of(include.name) != source.folder:
                    found[source.folder, folder_of(include.name)].add(include.name)
        return found

    def check_unused(self):
        """Permissions that no #include uses."""
        for folder, targets in self.tables.FOLDERS.items():
            for target in targets:
                if (folder, target) not in self.arrows:
                    yield TABLES, 0, f"FOLDERS: no file of {folder} includes {target}"
        for pair in sorted(self.tables.UPWARD - self.arrows.keys()):
            yield TABLES, 0, f"UPWARD: no file of {pair[0]} includes {pair[1]}"
        for folder, names in self.tables.VOCABULARY.items():
            used = set().union(*(files for (here, there), files in self.arrows.items()
                                 if there == folder and here.startswith("protocol/")))
            for name in sorted(set(names) - used):
                yield TABLES, 0, f"VOCABULARY: protocol does not include {name}"

    # Declarations.

    @cached_property
    def fragments(self):
        """The files that are included inside a namespace, and declare their content there."""
        return {declaration.name for source in self.sources.values() for declaration in source.declarations or ()
                if declaration.kind == "include"}

    def check_forward_declarations(self):
        """Types declared that are defined where this folder may not include from, or nowhere."""
        defined = defaultdict(list)
        for source in self.sources.values():
            for declaration in source.declarations or ():
                if declaration.kind == "type" and not declaration.hidden:
                    defined[declaration.namespace, declaration.name].append(source.path)
        unused = set(self.tables.FORWARD)
        for source in self.sources.values():
            for line, namespace, hidden, kind, name in source.declarations or ():
                if kind != "forward" or hidden or not (namespace + "::").startswith("sluice::"):
                    continue
                places = defined[namespace, name]
                reasons = [self.may_include(source.path, place) for place in places]
                if not places:
                    yield source.path, line, f"declaration of {namespace}::{name}, which is not defined in this project"
                elif all(reasons):
                    if (source.path, f"{namespace}::{name}") in self.tables.FORWARD:
                        unused.discard((source.path, f"{namespace}::{name}"))
                    else:
                        yield source.path, line, f"declaration of {namespace}::{name} ({places[0]}): {reasons[0]}"
        for path, name in sorted(unused):
            yield TABLES, 0, f"FORWARD: {path} needs no exception for {name}"

    def namespace_of(self, folder):
        """The entry of NAMESPACES for the folder, or for the nearest one above it."""
        while folder and folder not in self.tables.NAMESPACES:
            folder = folder.rpartition("/")[0]
        return folder, self.tables.NAMESPACES.get(folder)

    def check_namespaces(self):
        entries, nested, elsewhere = set(), set(), set()
        for source in self.product:
            if source.declarations is None:
                yield source.path, 0, "the braces do not balance, as far as this check can read it"
                continue
            entry, expected = self.namespace_of(source.folder)
            entries.add(entry)
            wrong = {}
            for line, namespace, _, kind, name in source.declarations:
                if kind in ("forward", "include") or namespace == expected:
                    continue
                outer, _, last = namespace.rpartition("::")
                if outer == expected and {namespace, last} & self.tables.NESTED:
                    nested |= {namespace, last} & self.tables.NESTED
                elif namespace or source.path not in self.fragments:
                    wrong.setdefault(namespace, line)
            for namespace, line in wrong.items():
                if self.tables.ELSEWHERE.get(source.path) == namespace:
                    elsewhere.add(source.path)
                else:
                    yield (source.path, line,
                           f"declares in {namespace or 'the global namespace'}; {source.folder} has {expected}")
        for table, used in (("NAMESPACES", entries), ("NESTED", nested), ("ELSEWHERE", elsewhere)):
            for name in sorted(set(getattr(self.tables, table)) - used):
                yield TABLES, 0, f"{table}: nothing needs the entry {name}"

    # Cycles.

    def check_circles(self):
        """Files that include each other."""
        graph = {source.path: [include.name for include in source.includes if not include.angled]
                 for source in self.sources.values()}
        for group in cycles.components(graph):
            yield group[0], 0, "circle of files: " + " > ".join(cycles.shortest(graph, group))

    def unit_graph(self):
        """{unit: {unit that it includes: "path:line of the first #include that does"}}."""
        units = {source.unit for source in self.product}
        graph = {unit: {} for unit in units}
        for source in self.product:
            for include in source.includes:
                other = include.name.rpartition(".")[0]
                if not include.angled and other != source.unit and other in units:
                    graph[source.unit].setdefault(other, f"{source.path}:{include.line} includes {include.name}")
        return graph

    def check_units(self):
        """Cycles of units. Those listed in CYCLES are allowed, and must exist."""
        graph = self.unit_graph()
        found = cycles.components(graph)
        known = [tuple(sorted(group)) for group in self.tables.CYCLES]
        for group in found:
            if group not in known:
                way = cycles.shortest(graph, group)
                arrows = "".join(f"\n    {graph[here][there]}" for here, there in zip(way, way[1:]))
                yield group[0], 0, f"cycle of {len(group)} units: {' '.join(group)}{arrows}"
        for group in known:
            if group not in found:
                yield TABLES, 0, f"CYCLES: there is no such cycle any more: {' '.join(group)}"


def folder_of(name):
    """The folder of a file; "tests" for all tests."""
    return "tests" if name.startswith("tests/") else name.rpartition("/")[0]
