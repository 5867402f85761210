#!/usr/bin/env python3
"""Checks who includes whom: include_rules.py [ROOT]. Prints each violation as file:line: reason, and then how many
files, arrows and circles there are; exit status 1 if any rule is violated.

The rules keep text and bytes (protocol), configuration (config) and matching (gpu) free of each other and of the
daemon, so that each can be built, tested and fuzzed alone. FOLDERS says who may include whom of ours, RULES what else a
folder may include, first match by folder.
"""
import re
import sys
from pathlib import Path

STANDARD = set("""
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
clocale cmath compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint cstdio
cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem format forward_list fstream functional
future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory
memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore
set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view strstream
syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray
variant vector version
""".split())
THREADS = {"atomic", "barrier", "condition_variable", "future", "latch", "mutex", "semaphore", "shared_mutex",
           "stop_token", "thread"}
CLOCKS = {"ctime"}
OWN = ("broker/", "config/", "gpu/", "protocol/", "tests/")
# CPU libraries that operators may use where they are found, the compiler's own intrinsics, and Linux' scheduler and
# timers, to give background threads the time that is left over and to sleep for microseconds.
ENGINE_LIBRARIES = r"(hs/|re2/|edlib\.h$|parasail|immintrin\.h$|arm_neon\.h$|sched\.h$|sys/prctl\.h$)"
CUDA = r"(cuda|nvtx|cub/|thrust/|cooperative_groups|mma\.h)"


# What protocol and the engine share.
VOCABULARY = {"gpu/api/predicate.hpp", "gpu/api/event_batch.hpp", "gpu/api/empty_text.hpp"}
OPERATORS = tuple(f"gpu/operators/{name}" for name in ("alignment", "edits", "recurrence", "regex", "substrings"))
# A folder, with those below it that are not named themselves, and what it may include beside its own files: folders that
# stand above it in this list.
FOLDERS = {
    "gpu/simd": (),
    "gpu/device": (),
    "gpu/api": (),
    **{operator: ("gpu/simd", "gpu/device") for operator in OPERATORS},
    "gpu/operators": ("gpu/api", *OPERATORS),
    "gpu/tables": ("gpu/api", "gpu/operators", "gpu/operators/substrings"),
    "gpu/naive": ("gpu/api", "gpu/operators"),
    "gpu/cpu": ("gpu/api", "gpu/operators", "gpu/simd", "gpu/tables"),
    "gpu/cuda": ("gpu/api", "gpu/cpu", "gpu/device", "gpu/operators", "gpu/simd", "gpu/tables"),
    "gpu": ("gpu/api", "gpu/cpu", "gpu/cuda", "gpu/naive"),
    "protocol/text": (),
    "protocol/filter": ("gpu/api", "protocol/text"),
    "protocol/feed": ("gpu/api", "protocol/filter", "protocol/text"),
    "protocol/wire": ("protocol/feed", "protocol/text"),
    "config": ("protocol/text",),
    "broker/base": ("config", "protocol/text"),
    "broker/store": ("broker/base", "protocol/feed", "protocol/text"),
    "broker/core": ("broker/base", "broker/store", "config", "gpu/api", "gpu/operators", "gpu/operators/alignment",
                    "gpu/operators/recurrence", "gpu/tables", "protocol/feed", "protocol/filter", "protocol/text"),
    "broker/server": ("broker/base", "broker/core", "config", "protocol/feed", "protocol/filter", "protocol/text",
                      "protocol/wire"),
    "broker/cli": ("broker/base", "broker/core", "config", "gpu/operators/alignment", "gpu/operators/edits",
                   "gpu/operators/recurrence", "gpu/operators/substrings", "protocol/feed", "protocol/filter",
                   "protocol/text", "protocol/wire"),
    "broker": ("broker/base", "broker/core", "broker/server", "broker/store", "config", "protocol/filter",
               "protocol/text"),
}
FOLDERS["tests"] = tuple(FOLDERS)
_ORDER = list(FOLDERS)
assert all(_ORDER.index(target) < _ORDER.index(folder) for folder, targets in FOLDERS.items() for target in targets)


def folder_of(name):
    """The folder of FOLDERS that a path belongs to, or None."""
    parts = name.split("/")[:-1]
    candidates = ("/".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((folder for folder in candidates if folder in FOLDERS), None)


class Rule:
    def __init__(self, folder, standard, system, never=None):
        self.folder, self.standard, self.system, self.never = folder, standard, system, never

    def complaint(self, path, name, angled):
        """Why the file `path` of this folder may not include `name`, or None."""
        if not angled:
            source, target = folder_of(path), folder_of(name)
            if self.folder == "protocol" and target == "gpu/api" and name not in VOCABULARY:
                return f"{source} may include of {target} only the vocabulary"
            return None if target == source or target in FOLDERS[source] else f"{source} may not include {target}"
        if name in STANDARD:
            return None if name in self.standard else f"{self.folder} uses no threads, sockets or clocks"
        if name.startswith(OWN):
            return 'our own headers are included as "folder/name.hpp"'
        if not re.match(self.system, name) or (self.never and re.match(self.never, name)):
            return f"{self.folder} may include no such libraries"
        return None


RULES = [
    Rule("protocol", STANDARD - THREADS - CLOCKS,
         r"(pugixml\.hpp$|iconv\.h$|malloc\.h$|openssl/evp\.h$|boost/(json|system)\b|boost/throw_exception\.hpp$)"),
    Rule("config", STANDARD, r"(yaml-cpp/|(arpa/inet|fcntl|poll|sys/stat|unistd)\.h$)"),
    Rule("gpu", STANDARD, f"({ENGINE_LIBRARIES}|{CUDA})"),
    Rule("broker", STANDARD, r".", CUDA),
    Rule("tests/cuda", STANDARD, r"."),
    Rule("tests/bench/gpu", STANDARD, r"."),
    Rule("tests/bench/baselines", STANDARD, r"."),
    Rule("tests", STANDARD, r".", CUDA),
]
# A clock can be read without a header of its own.
CLOCK_READ = re.compile(r"_clock::now\b|\b(std::time|clock_gettime|gettimeofday)\s*\(")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')
SOURCES = {".hpp", ".cpp", ".h", ".cu", ".cuh"}


def rule_of(relative):
    """The first rule whose folder holds the file."""
    return next(rule for rule in RULES if relative.is_relative_to(rule.folder))


def includes_of(path):
    """(line number, name, angled) of each #include, and (line number, None, False) of each reading of a clock."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found[1] or found[2], found[1] is not None
        elif CLOCK_READ.search(line):
            yield number, None, False


def sources(root):
    """(path below root, its rule) of every source file that has one."""
    for rule in RULES:
        for path in sorted((root / rule.folder).rglob("*")):
            relative = path.relative_to(root)
            if path.suffix in SOURCES and rule is rule_of(relative):
                yield relative, rule


def check(root):
    """Violations in the files below `root`, as (path, line, reason)."""
    for path, rule in sources(root):
        for number, name, angled in includes_of(root / path):
            if name is None:
                if rule.folder == "protocol":
                    yield path, number, "protocol reads no clock; take the time as an argument"
                continue
            reason = rule.complaint(path.as_posix(), name, angled)
            if not reason and not angled and not (root / name).is_file():
                reason = "there is no such file (paths start at the root of the project)"
            if reason:
                yield path, number, f"#include of {name}: {reason}"


def circles(root):
    """Circles of files that include each other, each as a list of paths."""
    includes = {path.as_posix(): [name for _, name, angled in includes_of(root / path) if name and not angled]
                for path, _ in sources(root)}
    done, found = set(), []

    def visit(path, way):
        if path in way:
            found.append(way[way.index(path):] + [path])
        elif path not in done:
            for name in includes.get(path, ()):
                visit(name, way + [path])
            done.add(path)

    for path in includes:
        visit(path, [])
    return found


def arrows(root):
    """Which folder includes which, as pairs."""
    pairs = ((folder_of(path.as_posix()), folder_of(name)) for path, _ in sources(root)
             for _, name, angled in includes_of(root / path) if name and not angled)
    return {(source, target) for source, target in pairs if source != target}


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
    violations, around = list(check(root)), circles(root)
    for path, number, reason in violations:
        print(f"{path}:{number}: {reason}")
    for circle in around:
        print("circle: " + " > ".join(circle))
    own = {(source, target) for source, target in arrows(root) if source != "tests"}
    upward = sum(target is None or _ORDER.index(target) > _ORDER.index(source) for source, target in own)
    print(f"{len(list(sources(root)))} files, {len(own)} arrows between folders, {upward} upward, {len(around)} circles")
    return 1 if violations or around else 0


if __name__ == "__main__":
    sys.exit(main())
