"""The folders with source files, and what each may use. include_rules.py checks the tree against these tables, and them
against the tree: an entry that nothing needs is an error, too. After a change, `include_rules.py --write` brings the
list in CONTRIBUTING.md up to date.
"""

OPERATORS = tuple(f"gpu/operators/{name}" for name in ("alignment", "edits", "recurrence", "regex", "substrings"))

# A folder, and which others it may include beside itself: folders that stand above it in this list. Each folder with
# source files has its own entry; those below it are not meant by it. Tests may include everything.
FOLDERS = {
    "gpu/simd": (),
    "gpu/device": (),
    "gpu/api": (),
    "gpu/operators/alignment": ("gpu/device", "gpu/simd"),
    "gpu/operators/edits": ("gpu/device", "gpu/simd"),
    "gpu/operators/recurrence": ("gpu/device", "gpu/simd"),
    "gpu/operators/regex": (),
    "gpu/operators/substrings": ("gpu/device", "gpu/simd"),
    "gpu/operators": ("gpu/api", *OPERATORS),
    "gpu/tables": ("gpu/api", "gpu/operators", "gpu/operators/substrings"),
    "gpu/naive": ("gpu/api", "gpu/operators"),
    "gpu/cpu": ("gpu/api", "gpu/operators", "gpu/simd", "gpu/tables"),
    "gpu/cuda": ("gpu/api", "gpu/cpu", "gpu/device", "gpu/operators", "gpu/simd", "gpu/tables"),
    "gpu": ("gpu/api", "gpu/cpu", "gpu/cuda", "gpu/naive"),
    "protocol/text": (),
    "protocol/filter/evaluator": ("gpu/api", "protocol/text"),
    "protocol/filter": ("gpu/api", "protocol/filter/evaluator", "protocol/text"),
    "protocol/feed": ("gpu/api", "protocol/filter", "protocol/filter/evaluator", "protocol/text"),
    "protocol/wire/http": ("protocol/text",),
    "protocol/wire/sse": (),
    "config": ("protocol/text",),
    "broker/base": ("config", "protocol/text"),
    "broker/store": ("broker/base", "protocol/feed", "protocol/text"),
    "broker/core": ("broker/base", "gpu/api", "protocol/text"),
    "broker/core/delivery": ("broker/base", "broker/core", "gpu/operators", "gpu/operators/alignment", "gpu/tables",
                             "protocol/feed", "protocol/filter"),
    "broker/core/matching": ("broker/base", "broker/core", "broker/core/delivery", "broker/store", "config", "gpu/api",
                             "gpu/operators", "gpu/tables", "protocol/feed", "protocol/filter"),
    "broker/core/ingest": ("broker/base", "broker/core", "broker/core/matching", "broker/store", "config",
                           "protocol/feed", "protocol/filter", "protocol/text"),
    "broker/server": ("broker/base", "broker/core", "broker/core/delivery", "broker/core/ingest",
                      "broker/core/matching", "config", "protocol/feed", "protocol/filter", "protocol/text",
                      "protocol/wire/http", "protocol/wire/sse"),
    "broker/cli": ("broker/base", "broker/core/delivery", "broker/core/ingest", "broker/core/matching", "config",
                   "gpu/operators/alignment", "gpu/operators/edits", "gpu/operators/recurrence",
                   "gpu/operators/substrings", "protocol/feed", "protocol/filter", "protocol/text",
                   "protocol/wire/http"),
    "broker": ("broker/base", "broker/core", "broker/core/delivery", "broker/core/ingest", "broker/core/matching",
               "broker/server", "broker/store", "config", "protocol/filter", "protocol/text"),
}

# Arrows that point upwards, until they are mended.
UPWARD = {("protocol/filter/evaluator", "protocol/filter")}

# What protocol and the engine share: of this folder, protocol may include only these files.
VOCABULARY = {"gpu/api": ("gpu/api/predicate.hpp", "gpu/api/event_batch.hpp", "gpu/api/empty_text.hpp")}

# Forward declarations of types that the file's folder may not include, until they are mended.
FORWARD = {("gpu/api/event_batch.hpp", "sluice::operators::Bounds"),
           ("gpu/api/event_batch.hpp", "sluice::operators::OperatorWork")}

# The namespace of a folder, and of those below it that have no entry. A folder's files declare nothing in others.
NAMESPACES = {
    "broker": "sluice::broker",
    "broker/base": "sluice::base",
    "broker/cli": "sluice::cli",
    "broker/server": "sluice::server",
    "broker/store": "sluice::store",
    "config": "sluice::config",
    "gpu": "sluice::engine",
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
    "broker/operator_new.cpp": "",  # replaces the global operators
    "gpu/operators/description.cpp": "sluice::engine",  # defines functions of gpu/api/predicate.hpp
    "gpu/operators/reference.cpp": "",  # sluice::engine::of_empty_text() of gpu/api/empty_text.hpp
}

# A library outside the standard one that a target has to link for a header, as (target, pattern of <header>).
HEADERS = (("sluice_asio", r"boost/(asio|beast)\b"),)
# (target, what it links) though no #include of it needs that.
LINKED_ANYWAY = set()

# (target, another whose sources it includes without linking it), until they are mended.
UNLINKED = {("sluice_client_text", "sluice_cli")}

# Cycles of units, until they are mended. A unit is all files of one path without extension.
CYCLES = (
    ("broker/cli/client/http_client", "broker/cli/client/http_headers"),
    ("broker/core/ingest/publish_attempt", "broker/core/ingest/publisher"),
    ("config/load", "config/schema"),
    ("gpu/cpu/accelerator", "gpu/cpu/cpu_program"),
    ("gpu/cpu/access", "gpu/cpu/observed_shares"),
    ("gpu/cpu/partly_known_events", "gpu/cpu/segment"),
    ("gpu/cuda/access_match", "gpu/cuda/event_block", "gpu/cuda/event_buckets", "gpu/cuda/event_look_ups",
     "gpu/cuda/event_predicates"),
    ("gpu/cuda/cluster_guarded", "gpu/cuda/cluster_match", "gpu/cuda/cluster_streamed"),
    ("gpu/device/abandoned_work", "gpu/device/arena", "gpu/device/context", "gpu/device/device",
     "gpu/device/keep_device", "gpu/device/wait"),
    ("gpu/operators/alignment/dispatch", "gpu/operators/alignment/lane_kernel", "gpu/operators/alignment/many",
     "gpu/operators/alignment/rows", "gpu/operators/alignment/rows_kernel", "gpu/operators/alignment/striped",
     "gpu/operators/alignment/tile_kernel", "gpu/operators/alignment/tiles"),
    ("gpu/operators/alignment/lane_group_aligner", "gpu/operators/alignment/lane_group_kernel"),
    ("gpu/operators/alignment/two_way_aligner", "gpu/operators/alignment/two_way_cluster",
     "gpu/operators/alignment/two_way_kernel", "gpu/operators/alignment/two_way_strip"),
    ("gpu/operators/alignment/wavefront_aligner", "gpu/operators/alignment/wavefront_edges",
     "gpu/operators/alignment/wavefront_kernel", "gpu/operators/alignment/wavefront_launch",
     "gpu/operators/alignment/wavefront_strip"),
    ("gpu/operators/alignment_family", "gpu/operators/choosing_family", "gpu/operators/device_family",
     "gpu/operators/edits_family", "gpu/operators/family", "gpu/operators/recurrence_family",
     "gpu/operators/regex_family"),
    ("gpu/tools/distance/all_pairs", "gpu/tools/distance/cpu_sets"),
    ("gpu/tools/distance/asm_kernels", "gpu/tools/distance/asm_row", "gpu/tools/distance/w_shuffle"),
    ("gpu/operators/edits/edits_cuda", "gpu/operators/edits/gpu_pattern_content"),
    ("gpu/operators/edits/myers_many", "gpu/operators/edits/myers_words"),
    ("gpu/operators/edits/place_list", "gpu/operators/edits/table_size"),
    ("gpu/operators/recurrence/evaluate", "gpu/operators/recurrence/exact",
     "gpu/operators/recurrence/exact_diagonals", "gpu/operators/recurrence/exact_plan",
     "gpu/operators/recurrence/exact_ranges", "gpu/operators/recurrence/kernels",
     "gpu/operators/recurrence/microstates"),
    ("gpu/operators/substrings/filter_kernel", "gpu/operators/substrings/filter_kernel_portable"),
    ("protocol/feed/xml/attribute_text", "protocol/feed/model/document", "protocol/feed/document_memory",
     "protocol/feed/xml/feed_root", "protocol/feed/item/fields", "protocol/feed/item/links", "protocol/feed/model/parsed_document",
     "protocol/feed/xml/plain_vocabulary", "protocol/feed/repair/repaired_document", "protocol/feed/repair/xml_element_repair",
     "protocol/feed/xml/xml_namespaces", "protocol/feed/xml/xml_normal_form", "protocol/feed/repair/xml_prolog_repair",
     "protocol/feed/repair/xml_repair", "protocol/feed/xml/xml_scanner", "protocol/feed/repair/xml_tag_repair"),
    ("protocol/feed/encoding/encoding_decoder", "protocol/feed/encoding/iconv_text"),
    ("protocol/feed/values/scanned_document", "protocol/feed/values/scanned_leaves"),
    ("protocol/filter/syntax/attribute", "protocol/filter/syntax/functions"),
    ("protocol/filter/hints/comparison_hints", "protocol/filter/hints/first_value", "protocol/filter/hints/hint_list",
     "protocol/filter/hints/hints", "protocol/filter/hints/path_hints", "protocol/filter/hints/test_hints",
     "protocol/filter/hints/time_hints"),
    ("protocol/filter/syntax/constant", "protocol/filter/evaluator/condition", "protocol/filter/evaluator/evaluator"),
    ("protocol/filter/filter", "protocol/filter/compile/kernel_functions", "protocol/filter/compile/leaves", "protocol/filter/compile/scan",
     "protocol/filter/compile/select_form", "protocol/filter/compile/test_form"),
)
