"""Checks that libraries and programs link what their files include, and nothing else of ours.

A unit (all files of one path without extension) belongs to the target that compiles it; a header without a source
counts as a part of each file that includes it. A target needs the targets of the units that its own units include. It
has them if it links them, or one that contains their objects, or one that links them publicly.
"""
import re
from collections import defaultdict

from folder_rules import TABLES


class Links:
    def __init__(self, sources, targets, headers):
        """`sources` by path, `targets` by name; `headers` says which <header> needs which target."""
        self.sources, self.targets, self.headers = sources, targets, headers
        self.units = defaultdict(list)
        for source in sources.values():
            self.units[source.unit].append(source)
        self.owners = {}
        for target in targets.values():
            for path in target.sources:
                self.owners.setdefault(path.rpartition(".")[0], target.name)
        self.folder_owners = defaultdict(set)
        for unit, owner in self.owners.items():
            self.folder_owners[unit.rpartition("/")[0]].add(owner)

    def contents(self, name):
        """The target and those whose objects it contains."""
        found, waiting = set(), [name]
        while waiting:
            here = waiting.pop()
            if here in self.targets and here not in found:
                found.add(here)
                waiting += self.targets[here].objects
        return found

    def reach(self, names):
        """What these targets contain and link publicly, and so on."""
        found, waiting = set(), list(names)
        while waiting:
            here = waiting.pop()
            if here in self.targets and here not in found:
                found.add(here)
                waiting += [*self.targets[here].objects, *self.targets[here].public]
        return found

    def needs(self, name):
        """What the target's own units include of other targets: {target: (path, line, whether in a header)}, preferring
        headers; and the targets in whose folders there are headers without a source that it includes."""
        needed, nearby = {}, set()
        for unit in (path.rpartition(".")[0] for path in self.targets[name].sources):
            for source in self.units[unit]:
                public = source.path.rpartition(".")[2] in ("hpp", "h", "cuh")
                self._collect(source, (source.path, None), public, name, needed, nearby, set())
        return needed, nearby

    def _collect(self, source, place, public, name, needed, nearby, seen):
        for include in source.includes:
            here = (place[0], place[1] or include.line)
            if include.angled:
                owners = [target for target, pattern in self.headers if re.match(pattern, include.name)]
            else:
                owner = self.owners.get(include.name.rpartition(".")[0])
                owners = [owner] if owner else []
                if not owner and include.name in self.sources and include.name not in seen:
                    seen.add(include.name)
                    nearby |= self.folder_owners[include.name.rpartition("/")[0]]
                    self._collect(self.sources[include.name], here, public, name, needed, nearby, seen)
            for owner in owners:
                if owner != name and (owner not in needed or (public and not needed[owner][2])):
                    needed[owner] = (*here, public)

    def check(self, linked_anyway, unlinked):
        """Violations as (path, line, reason). The arguments are exceptions, pairs of targets, and must be needed."""
        linked_anyway, unlinked_left = set(linked_anyway), set(unlinked)
        every = {name: self.needs(name) for name in self.targets}
        for name, target in self.targets.items():
            inside = self.contents(name)
            needed, nearby = every[name]
            public, all_links = self.reach([name]), self.reach([name, *target.links])
            for owner, (path, line, in_header) in sorted(needed.items()):
                if (name, owner) in unlinked and owner not in all_links:
                    unlinked_left.discard((name, owner))
                elif owner not in all_links:
                    yield path, line, f"{name} must link {owner}, which compiles what this includes"
                elif in_header and owner not in public and not target.program:
                    yield path, line, f"{name} must link {owner} publicly: a header of it includes it"
            for part in inside:
                nearby = nearby | every[part][1] | every[part][0].keys()
            for other, place in target.links.items():
                if other not in self.targets or not (self.targets[other].sources or self.targets[other].objects):
                    continue  # an outside library, or one of options only
                if (name, other) in linked_anyway:
                    linked_anyway.discard((name, other))
                elif not self.contents(other) & nearby:
                    yield *place, f"{name} links {other}, of which it includes nothing"
        for name, other in sorted(linked_anyway):
            yield TABLES, 0, f"LINKED_ANYWAY: {name} needs no exception for {other}"
        for name, other in sorted(unlinked_left):
            yield TABLES, 0, f"UNLINKED: {name} needs no exception for {other}"

    def uncompiled(self):
        """Sources of folders with targets that no target compiles."""
        listed = {path for target in self.targets.values() for path in target.sources}
        return sorted(path for path in self.sources
                      if path.endswith((".cpp", ".cu")) and not path.startswith("tests/") and path not in listed)

    def graph(self):
        return {name: [other for other in target.links if other in self.targets]
                for name, target in self.targets.items()}
