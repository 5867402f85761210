"""The folders with source files, and what each may use. include_rules.py checks the tree against these tables, and them
against the tree: an entry that nothing needs is an error, too. After a change, `include_rules.py --write` brings the
list in CONTRIBUTING.md up to date.
"""

# A folder, and which others it may include beside itself: folders that stand above it in this list. Each folder with
# source files has its own entry; those below it are not meant by it. Tests may include everything.
FOLDERS = {
    "gpu/check": (),
    "gpu/simd": (),
    "gpu/device": (),
    "gpu/api": (),
    "gpu/operators/alignment/scheme": ("gpu/simd",),
    "gpu/operators/alignment/lanes": ("gpu/operators/alignment/scheme",),
    "gpu/operators/alignment": ("gpu/operators/alignment/lanes", "gpu/operators/alignment/scheme", "gpu/simd"),
    "gpu/operators/alignment/cuda": ("gpu/device", "gpu/operators/alignment", "gpu/operators/alignment/scheme"),
    "gpu/operators/edits": ("gpu/simd",),
    "gpu/operators/edits/cuda": ("gpu/device", "gpu/operators/edits"),
    "gpu/operators/recurrence": ("gpu/device", "gpu/simd"),
    "gpu/operators/regex": (),
    "gpu/operators/substrings": ("gpu/simd",),
    "gpu/operators": ("gpu/api", "gpu/operators/alignment", "gpu/operators/alignment/cuda",
                      "gpu/operators/alignment/scheme", "gpu/operators/edits", "gpu/operators/edits/cuda",
                      "gpu/operators/recurrence", "gpu/operators/regex", "gpu/operators/substrings"),
    "gpu/tables": ("gpu/api", "gpu/operators", "gpu/operators/substrings"),
    "gpu/naive": ("gpu/api", "gpu/operators"),
    "gpu/cpu/segment": ("gpu/api", "gpu/check", "gpu/operators", "gpu/simd", "gpu/tables"),
    "gpu/cpu": ("gpu/api", "gpu/cpu/segment", "gpu/operators", "gpu/tables"),
    "gpu/cuda/clusters": ("gpu/cpu/segment", "gpu/device"),
    "gpu/cuda": ("gpu/api", "gpu/cpu", "gpu/cpu/segment", "gpu/cuda/clusters", "gpu/device", "gpu/operators",
                 "gpu/simd", "gpu/tables"),
    "gpu": ("gpu/api", "gpu/cpu", "gpu/cuda", "gpu/naive"),
    "gpu/tools/align": ("gpu/device", "gpu/operators/alignment", "gpu/operators/alignment/cuda",
                        "gpu/operators/alignment/scheme", "gpu/simd"),
    "gpu/tools/distance": ("gpu/device", "gpu/operators/edits", "gpu/operators/edits/cuda", "gpu/simd"),
    "gpu/tools/recurrence": ("gpu/device", "gpu/operators/recurrence", "gpu/simd"),
    "gpu/tools/search": ("gpu/device", "gpu/operators/substrings", "gpu/simd"),
    "protocol/bytes": ("gpu/simd",),
    "protocol/text": ("protocol/bytes",),
    "protocol/filter/syntax": ("protocol/text",),
    "protocol/filter/evaluator": ("gpu/api", "protocol/filter/syntax", "protocol/text"),
    "protocol/filter/compile": ("gpu/api", "protocol/filter/evaluator", "protocol/filter/syntax", "protocol/text"),
    "protocol/filter/hints": ("protocol/filter/compile", "protocol/filter/evaluator", "protocol/filter/syntax",
                              "protocol/text"),
    "protocol/filter": ("protocol/filter/compile", "protocol/filter/evaluator", "protocol/filter/hints",
                        "protocol/filter/syntax"),
    "protocol/feed/model": ("gpu/check", "protocol/bytes", "protocol/filter/evaluator", "protocol/text"),
    "protocol/feed/encoding": ("protocol/feed/model", "protocol/text"),
    "protocol/feed/html": ("protocol/feed/encoding", "protocol/text"),
    "protocol/feed/xml": ("protocol/bytes", "protocol/feed/encoding", "protocol/feed/html", "protocol/feed/model",
                          "protocol/filter", "protocol/filter/evaluator", "protocol/text"),
    "protocol/feed/repair": ("protocol/feed/html", "protocol/feed/model", "protocol/feed/xml", "protocol/text"),
    "protocol/feed/data": ("protocol/bytes", "protocol/feed/model", "protocol/text"),
    "protocol/feed/item": ("protocol/bytes", "protocol/feed/data", "protocol/feed/html", "protocol/feed/model",
                           "protocol/feed/xml", "protocol/filter/syntax", "protocol/text"),
    "protocol/feed/values": ("gpu/api", "protocol/feed/item", "protocol/feed/model", "protocol/filter/evaluator",
                             "protocol/filter/syntax", "protocol/text"),
    "protocol/feed": ("protocol/bytes", "protocol/feed/data", "protocol/feed/encoding", "protocol/feed/item",
                      "protocol/feed/model", "protocol/feed/repair", "protocol/feed/xml", "protocol/text"),
    "protocol/feed/record": ("gpu/check", "protocol/feed", "protocol/feed/data", "protocol/feed/encoding",
                             "protocol/feed/item", "protocol/feed/model", "protocol/feed/xml", "protocol/text"),
    "protocol/wire/http": ("protocol/text",),
    "protocol/wire/sse": (),
    "config": ("protocol/text",),
    "broker/base/memory": ("gpu/check",),
    "broker/base/program": ("protocol/text",),
    "broker/base": ("broker/base/memory", "config", "gpu/check", "protocol/text"),
    "broker/store": ("broker/base/memory", "gpu/check", "protocol/feed/model", "protocol/feed/record", "protocol/text"),
    "broker/store/rocks/database": ("broker/base", "protocol/text"),
    "broker/store/rocks": ("broker/base", "broker/base/memory", "broker/store", "broker/store/rocks/database",
                           "gpu/check", "protocol/feed/record", "protocol/text"),
    "broker/store/offline": ("broker/store", "broker/store/rocks", "broker/store/rocks/database", "protocol/text"),
    "broker/auth": ("broker/base", "config", "gpu/api", "protocol/filter", "protocol/text"),
    "broker/match": ("broker/base", "broker/base/memory", "config", "gpu/api", "gpu/operators",
                     "gpu/operators/alignment", "gpu/operators/alignment/scheme", "gpu/tables", "protocol/feed/model",
                     "protocol/feed/values", "protocol/filter", "protocol/filter/syntax", "protocol/text"),
    "broker/core": ("broker/base", "gpu/api", "gpu/operators", "protocol/text"),
    "broker/core/delivery": ("broker/auth", "broker/base", "broker/base/memory", "broker/core", "broker/match", "gpu/check",
                             "protocol/feed/item", "protocol/feed/model", "protocol/text"),
    "broker/core/matching": ("broker/auth", "broker/base", "broker/base/memory", "broker/core", "broker/core/delivery", "broker/match",
                             "broker/store", "config", "gpu/api", "gpu/check", "gpu/operators", "gpu/tables",
                             "protocol/feed/model", "protocol/feed/record", "protocol/filter/syntax", "protocol/text"),
    "broker/core/replay": ("broker/auth", "broker/base", "broker/base/memory", "broker/core", "broker/core/delivery",
                           "broker/core/matching", "broker/match", "broker/store", "config", "gpu/api", "gpu/check",
                           "protocol/feed", "protocol/feed/model", "protocol/feed/record", "protocol/filter"),
    "broker/core/ingest": ("broker/base", "broker/base/memory", "broker/core", "broker/core/matching", "broker/store",
                           "config", "gpu/check", "protocol/feed", "protocol/feed/item", "protocol/feed/model",
                           "protocol/feed/record", "protocol/filter", "protocol/text"),
    "broker/core/subscriptions": ("broker/auth", "broker/base", "broker/base/memory", "broker/core", "broker/core/delivery",
                                  "broker/core/ingest", "broker/core/matching", "broker/core/replay", "broker/store",
                                  "config", "gpu/check", "protocol/feed/model", "protocol/feed/record",
                                  "protocol/text"),
    "broker/server/net/tls": ("broker/base", "config"),
    "broker/server/net": ("broker/server/net/tls", "broker/auth", "broker/base", "broker/base/memory", "broker/core", "config"),
    "broker/server/http": ("broker/auth", "broker/base", "broker/base/memory", "broker/core", "broker/core/ingest",
                           "broker/server/net", "config", "protocol/filter", "protocol/text", "protocol/wire/http"),
    "broker/server/sse": ("broker/base", "broker/core", "broker/core/delivery", "broker/core/ingest",
                          "broker/core/matching", "broker/core/replay", "broker/core/subscriptions", "broker/match",
                          "broker/server/http", "broker/server/net", "broker/store", "config", "gpu/check",
                          "protocol/feed/data", "protocol/feed/item", "protocol/wire/sse"),
    "broker/server/api": ("broker/auth", "broker/base", "broker/base/memory", "broker/base/program", "broker/core",
                          "broker/core/delivery", "broker/core/ingest", "broker/core/matching", "broker/core/replay",
                          "broker/core/subscriptions", "broker/match", "broker/server/http", "broker/server/net",
                          "broker/server/sse", "broker/store", "config", "gpu/api", "protocol/feed/data",
                          "protocol/feed/item", "protocol/feed/model", "protocol/feed/record", "protocol/filter",
                          "protocol/filter/hints", "protocol/filter/syntax", "protocol/text", "protocol/wire/http"),
    "broker/server/streams": ("broker/base", "broker/core/ingest", "broker/server/api", "broker/server/http",
                              "broker/server/net", "broker/store", "config", "protocol/text"),
    "broker/server/subscriptions": ("broker/auth", "broker/base", "broker/core", "broker/core/delivery", "broker/core/ingest",
                                    "broker/core/matching",
                                    "broker/core/subscriptions", "broker/server/api", "broker/server/http",
                                    "broker/server/net", "broker/server/sse", "broker/store", "config",
                                    "protocol/text"),
    "broker/server": ("broker/core/ingest", "broker/server/api", "broker/server/http", "broker/server/streams",
                      "broker/server/subscriptions", "config"),
    "broker/cli/common": ("broker/base/program", "protocol/text", "protocol/wire/http"),
    "broker/cli/client": ("broker/base/program", "broker/cli/common", "protocol/filter", "protocol/filter/syntax",
                          "protocol/text", "protocol/wire/http"),
    "broker/cli/events": ("broker/cli/common", "protocol/feed/data", "protocol/text"),
    "broker/cli/manual": ("broker/base/program", "broker/cli/common", "config", "protocol/text"),
    "broker/cli/store": ("broker/cli/client", "broker/cli/common", "broker/store", "broker/store/offline",
                         "protocol/text"),
    "broker/cli/workbench": ("broker/cli/common", "gpu/operators/edits", "gpu/operators/recurrence", "gpu/tools/align",
                             "gpu/tools/distance", "gpu/tools/recurrence", "gpu/tools/search", "protocol/text"),
    "broker/cli/user": ("broker/auth", "broker/cli/common", "config", "protocol/text"),
    "broker/cli": ("broker/base/program", "broker/cli/client", "broker/cli/common", "broker/cli/events",
                   "broker/cli/manual", "broker/cli/store", "broker/cli/user", "broker/cli/workbench", "broker/match", "config", "protocol/feed", "protocol/feed/data",
                   "protocol/feed/item", "protocol/filter", "protocol/text"),
    "broker": ("broker/base", "broker/base/memory", "broker/base/program", "broker/core", "broker/core/delivery",
               "broker/core/ingest", "broker/core/matching", "broker/core/replay", "broker/core/subscriptions",
               "broker/match", "broker/server", "broker/server/api", "broker/server/http", "broker/server/net",
               "broker/server/net/tls", "broker/server/sse", "broker/store", "broker/store/rocks", "config", "protocol/filter", "protocol/text"),
}

# Arrows that point upwards, until they are mended.
UPWARD = set()

# What protocol and the engine share: of this folder, protocol may include only these files.
VOCABULARY = {"gpu/api": ("gpu/api/predicate.hpp", "gpu/api/event_batch.hpp", "gpu/api/empty_text.hpp")}

# Forward declarations of types that the file's folder may not include, until they are mended.
FORWARD = {("gpu/api/event_batch.hpp", "sluice::operators::Bounds"),
           ("gpu/api/event_batch.hpp", "sluice::operators::OperatorWork")}

# The namespace of a folder, and of those below it that have no entry. A folder's files declare nothing in others.
NAMESPACES = {
    "broker": "sluice::broker",
    "broker/auth": "sluice::auth",
    "broker/base": "sluice::base",
    "broker/cli": "sluice::cli",
    "broker/server": "sluice::server",
    "broker/store": "sluice::store",
    "config": "sluice::config",
    "gpu": "sluice::engine",
    "gpu/check": "sluice::checks",
    "gpu/cpu": "sluice::cpu",
    "gpu/cuda": "sluice::cuda",
    "gpu/device": "sluice::cuda",
    "gpu/operators": "sluice::operators",
    "gpu/operators/alignment": "sluice::alignment",
    "gpu/operators/edits": "sluice::edits",
    "gpu/operators/recurrence": "sluice::recurrence",
    "gpu/operators/regex": "sluice::regex",
    "gpu/operators/substrings": "sluice::substrings",
    "gpu/simd": "sluice::simd",
    "gpu/tools/align": "sluice::alignment",
    "gpu/tools/distance": "sluice::edits",
    "gpu/tools/recurrence": "sluice::recurrence",
    "gpu/tools/search": "sluice::substrings",
    "protocol/bytes": "sluice::bytes",
    "protocol/feed": "sluice::feed",
    "protocol/filter": "sluice::filter",
    "protocol/filter/evaluator": "sluice::xpath",
    "protocol/text": "sluice::text",
    "protocol/wire": "sluice::wire",
}
# Namespaces inside one of those.
NESTED = {"avx2", "avx512", "portable", "detail", "sluice::cli::help", "sluice::feed::atom",
          "sluice::feed::cloud_event", "sluice::feed::json_feed", "sluice::feed::record_format", "sluice::feed::rss",
          "sluice::feed::xml", "sluice::recurrence::cuda"}
# Files that declare something in another namespace, and in which ("" is the global one).
ELSEWHERE = {
    "broker/cli/main.cpp": "",  # main() and its helpers
    "broker/main.cpp": "",  # the same
    "broker/allocator.cpp": "",  # replaces the global operators
    "gpu/operators/description.cpp": "sluice::engine",  # defines functions of gpu/api/predicate.hpp
    "gpu/operators/reference.cpp": "",  # sluice::engine::of_empty_text() of gpu/api/empty_text.hpp
}

# A library outside the standard one that a target has to link for a header, as (target, pattern of <header>).
HEADERS = (("sluice_asio", r"boost/(asio|beast)\b"),)
# (target, what it links) though no #include of it needs that.
LINKED_ANYWAY = set()

# (target, another whose sources it includes without linking it), until they are mended.
UNLINKED = set()

# Cycles of units, until they are mended. A unit is all files of one path without extension.
CYCLES = ()
