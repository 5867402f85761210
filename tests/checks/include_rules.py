#!/usr/bin/env python3
"""Checks who includes whom: include_rules.py [ROOT]. Prints each violation as file:line: reason; exit status 1 if any.

The rules keep text and bytes (protocol), configuration (config) and matching (gpu) free of each other and of the
daemon, so that each can be built, tested and fuzzed alone. They are the RULES below, first match by folder.
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


class Rule:
    def __init__(self, folder, standard, system, own, never=None):
        self.folder, self.standard, self.system, self.own, self.never = folder, standard, system, own, never

    def complaint(self, name, angled):
        """Why a file of this folder may not include `name`, or None."""
        if angled and name in STANDARD:
            return None if name in self.standard else f"{self.folder} uses no threads, sockets or clocks"
        if angled and name.startswith(OWN):
            return 'our own headers are included as "folder/name.hpp"'
        allowed, what = (self.system, "libraries") if angled else (self.own, "headers")
        if not re.match(allowed, name) or (self.never and re.match(self.never, name)):
            return f"{self.folder} may include no such {what}"
        return None


RULES = [
    Rule("protocol", STANDARD - THREADS - CLOCKS, r"(pugixml\.hpp$|iconv\.h$|boost/(json|system)\b|boost/throw_exception\.hpp$)",
         r"(protocol/|gpu/(predicate|event_batch)\.hpp$)"),
    Rule("config", STANDARD, r"yaml-cpp/|arpa/inet\.h$", r"(config|protocol/text)/"),
    Rule("gpu", STANDARD, f"({ENGINE_LIBRARIES}|{CUDA})", r"gpu/"),
    Rule("broker", STANDARD, r".", r"(broker|config|gpu|protocol)/", CUDA),
    Rule("tests/cuda", STANDARD, r".", r"(broker|config|gpu|protocol|tests)/"),
    Rule("tests/bench/gpu", STANDARD, r".", r"(gpu|tests)/"),
    Rule("tests", STANDARD, r".", r"(broker|config|gpu|protocol|tests)/", CUDA),
]
# A clock can be read without a header of its own.
CLOCK_READ = re.compile(r"_clock::now\b|\b(std::time|clock_gettime|gettimeofday)\s*\(")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')
SOURCES = {".hpp", ".cpp", ".h", ".cu", ".cuh"}


def rule_of(relative):
    """The first rule whose folder holds the file."""
    return next(rule for rule in RULES if relative.is_relative_to(rule.folder))


def check(root):
    """Violations in the files below `root`, as (path, line, reason)."""
    for rule in RULES:
        for path in sorted((root / rule.folder).rglob("*")):
            relative = path.relative_to(root)
            if path.suffix not in SOURCES or rule is not rule_of(relative):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found = INCLUDE.match(line)
                if found:
                    name = found[1] or found[2]
                    reason = rule.complaint(name, angled=found[1] is not None)
                    if not reason and not found[1] and not (root / name).is_file():
                        reason = "there is no such file (paths start at the root of the project)"
                    if reason:
                        yield relative, number, f"#include of {name}: {reason}"
                elif rule.folder == "protocol" and CLOCK_READ.search(line):
                    yield relative, number, "protocol reads no clock; take the time as an argument"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
    violations = list(check(root))
    for path, number, reason in violations:
        print(f"{path}:{number}: {reason}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
