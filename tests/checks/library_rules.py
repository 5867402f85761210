"""Which folder may include what besides headers of ours, and where clocks are read. The rules keep text and bytes
(protocol), configuration (config) and matching (gpu) free of the daemon's libraries, so that each can be built, tested
and fuzzed alone.
"""
import re

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
    """For the files below `folder`: the standard headers they may include, and patterns of others."""

    def __init__(self, folder, standard, system, never=None):
        self.folder, self.standard, self.system, self.never = folder, standard, system, never

    def complaint(self, name):
        """Why a file may not include <name>, or None."""
        if name in STANDARD:
            return None if name in self.standard else f"{self.folder} uses no threads, sockets or clocks"
        if name.startswith(OWN):
            return 'our own headers are included as "folder/name.hpp"'
        if not re.match(self.system, name) or (self.never and re.match(self.never, name)):
            return f"{self.folder} may include no such libraries"
        return None


RULES = [
    Rule("protocol", STANDARD - THREADS - CLOCKS,
         r"(pugixml\.hpp$|iconv\.h$|zlib\.h$|malloc\.h$|openssl/evp\.h$|boost/(json|system)\b|"
         r"boost/(crc|throw_exception|container/small_vector)\.hpp$|[ei]mmintrin\.h$)"),
    Rule("config", STANDARD, r"(yaml-cpp/|(arpa/inet|fcntl|poll|sys/stat|unistd)\.h$)"),
    Rule("gpu", STANDARD, f"({ENGINE_LIBRARIES}|{CUDA})"),
    Rule("broker", STANDARD, r".", CUDA),
    Rule("tests/cuda", STANDARD, r"."),
    Rule("tests/bench/gpu", STANDARD, r"."),
    Rule("tests/bench/baselines", STANDARD, r"."),
    Rule("tests", STANDARD, r".", CUDA),
]


def check(sources):
    """Violations as (path, line, reason)."""
    for source in sources:
        rule = next(rule for rule in RULES if source.path.startswith(rule.folder + "/"))
        for include in source.includes:
            reason = rule.complaint(include.name) if include.angled else None
            if reason:
                yield source.path, include.line, f"#include of {include.name}: {reason}"
        if rule.folder == "protocol":
            for line in source.clock_reads:
                yield source.path, line, "protocol reads no clock; take the time as an argument"
