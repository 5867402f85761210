#include "broker/cli/workbench/align_output.hpp"

#include <array>
#include <boost/json/serialize.hpp>

#include "broker/cli/common/with_digits.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

using alignment::Alignment;
using alignment::PairResult;

namespace {

constexpr std::array tsv_columns{"query",     "query_length", "text",       "text_length", "mode",         "scheme",
                                 "score",     "query_start",  "query_end",  "text_start",  "text_end",     "matches",
                                 "columns",   "mismatches",   "gaps",       "cigar",       "pruned_share", "seconds",
                                 "processor", "workers",      "gpu_failure"};

std::size_t all_columns(const Alignment& alignment) {
    return alignment.columns('=') + alignment.columns('X') + alignment.columns('I') + alignment.columns('D');
}

std::string alignment_text(const Alignment& alignment) {
    const auto columns = all_columns(alignment);
    const auto gaps = alignment.columns('I') + alignment.columns('D');
    const double share =
        columns == 0 ? 0 : 100.0 * static_cast<double>(alignment.columns('=')) / static_cast<double>(columns);
    const auto mismatches = alignment.columns('X');
    return "query    " + std::to_string(alignment.query_begin + 1) + "-" + std::to_string(alignment.query_end) +
           "\ntext     " + std::to_string(alignment.text_begin + 1) + "-" + std::to_string(alignment.text_end) +
           "\nidentity " + std::to_string(alignment.columns('=')) + " of " + std::to_string(columns) + " columns (" +
           with_digits(share, 1) + " %), " + std::to_string(mismatches) +
           (mismatches == 1 ? " mismatch, " : " mismatches, ") + std::to_string(gaps) +
           (gaps == 1 ? " gap letter" : " gap letters") + "\ncigar    " + alignment.cigar() + "\n";
}

std::string who_did_it(const PairResult& result) {
    if (result.on_gpu) return result.gpus == 1 ? "the GPU" : std::to_string(result.gpus) + " GPUs";
    return result.threads == 1 ? "one core" : std::to_string(result.threads) + " cores";
}

bool has_alignment(const AlignOptions& options, const PairResult& result) {
    return result.alignment && (options.global || result.end.score > 0);
}

}  // namespace

std::string align_text(const AlignOptions& options, const FastaRecord& query, const FastaRecord& text,
                       const PairResult& result) {
    const double cells = static_cast<double>(query.sequence.size()) * static_cast<double>(text.sequence.size());
    std::string lines = text::terminal_line(query.name) + " (" + std::to_string(query.sequence.size()) + ") x " +
                        text::terminal_line(text.name) + " (" + std::to_string(text.sequence.size()) + ")\nscore    " +
                        std::to_string(result.end.score) + " (" + (options.global ? "global" : "local") + ", " +
                        options.scheme + ")\n";
    if (has_alignment(options, result))
        lines += alignment_text(*result.alignment);
    else if (!options.global && result.end.score > 0)
        lines += "ends at  query " + std::to_string(result.end.query_end) + ", text " +
                 std::to_string(result.end.text_end) + "\n";
    if (result.pruned_share > 0) lines += "pruned   " + with_digits(100 * result.pruned_share, 1) + " %\n";
    lines += "time     " + duration(result.score_seconds);
    if (result.score_seconds > 0) lines += ", " + with_digits(cells / result.score_seconds / 1e9, 1) + " GCUPS";
    lines += " on " + who_did_it(result);
    if (result.alignment) lines += "; alignment " + duration(result.trace_seconds);
    lines += '\n';
    if (!result.gpu_error.empty()) lines += "note     the GPU failed: " + result.gpu_error + "\n";
    return lines;
}

boost::json::object align_json(const AlignOptions& options, const FastaRecord& query, const FastaRecord& text,
                               const PairResult& result) {
    boost::json::object object{{"query", query.name},
                               {"query_length", query.sequence.size()},
                               {"text", text.name},
                               {"text_length", text.sequence.size()},
                               {"mode", options.global ? "global" : "local"},
                               {"scheme", options.scheme},
                               {"score", result.end.score}};
    if (has_alignment(options, result)) {
        const Alignment& alignment = *result.alignment;
        object["query_start"] = alignment.query_begin + 1;
        object["query_end"] = alignment.query_end;
        object["text_start"] = alignment.text_begin + 1;
        object["text_end"] = alignment.text_end;
        object["matches"] = alignment.columns('=');
        object["columns"] = all_columns(alignment);
        object["mismatches"] = alignment.columns('X');
        object["gaps"] = alignment.columns('I') + alignment.columns('D');
        object["cigar"] = alignment.cigar();
    } else if (!options.global && result.end.score > 0) {
        object["query_end"] = result.end.query_end;
        object["text_end"] = result.end.text_end;
    }
    object["pruned_share"] = result.pruned_share;
    object["seconds"] = result.score_seconds + result.trace_seconds;
    object["processor"] = result.on_gpu ? "gpu" : "cpu";
    object["workers"] = result.on_gpu ? result.gpus : result.threads;
    if (!result.gpu_error.empty()) object["gpu_failure"] = result.gpu_error;
    return object;
}

std::string align_tsv_header() {
    std::string line;
    for (const char* member : tsv_columns) line += (line.empty() ? "" : "\t") + std::string(member);
    return line + "\n";
}

std::string align_tsv(const AlignOptions& options, const FastaRecord& query, const FastaRecord& text,
                      const PairResult& result) {
    const auto object = align_json(options, query, text, result);
    std::string line;
    for (const char* member : tsv_columns) {
        if (member != tsv_columns.front()) line += '\t';
        const auto* value = object.if_contains(member);
        if (!value) continue;
        line += value->is_string()   ? text::terminal_line(value->get_string())
                : value->is_double() ? with_digits(value->get_double(), 6)
                                     : boost::json::serialize(*value);
    }
    return line + "\n";
}

}  // namespace sluice::cli
