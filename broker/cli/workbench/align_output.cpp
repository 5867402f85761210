#include "broker/cli/workbench/align_output.hpp"

#include <array>
#include <boost/json/serialize.hpp>
#include <cstdint>

#include "broker/cli/common/with_digits.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

using alignment::Alignment;
using alignment::PairResult;

namespace {

constexpr std::array tsv_columns{"query",     "query_length", "text",        "text_length", "mode",         "scheme",
                                 "score",     "query_start",  "query_end",   "text_start",  "text_end",     "matches",
                                 "columns",   "mismatches",   "gaps",        "cigar",       "pruned_share", "seconds",
                                 "processor", "workers",      "gpu_failure", "strand"};

std::size_t all_columns(const Alignment& alignment) {
    return alignment.columns('=') + alignment.columns('X') + alignment.columns('I') + alignment.columns('D');
}

std::size_t gap_letters(const Alignment& alignment) { return alignment.columns('I') + alignment.columns('D'); }

// Of the query as it is in the file, from 0 on, without the end.
struct QueryPart {
    std::size_t begin, end;
};

QueryPart query_part(const AlignedPair& pair) {
    const Alignment& alignment = *pair.result.alignment;
    const std::size_t length = pair.query.sequence.size();
    if (!pair.is_reverse) return {alignment.query_begin, alignment.query_end};
    return {length - alignment.query_end, length - alignment.query_begin};
}

// The query's letter, from 1 on, at which the alignment ends in the direction of the text.
std::size_t last_query_letter(const AlignedPair& pair) {
    const std::size_t end = pair.result.end.query_end;
    return pair.is_reverse ? pair.query.sequence.size() - end + 1 : end;
}

std::string alignment_text(const AlignedPair& pair) {
    const Alignment& alignment = *pair.result.alignment;
    const auto columns = all_columns(alignment), gaps = gap_letters(alignment);
    const double share =
        columns == 0 ? 0 : 100.0 * static_cast<double>(alignment.columns('=')) / static_cast<double>(columns);
    const auto mismatches = alignment.columns('X');
    const auto [begin, end] = query_part(pair);
    return "query    " + std::to_string(begin + 1) + "-" + std::to_string(end) + "\ntext     " +
           std::to_string(alignment.text_begin + 1) + "-" + std::to_string(alignment.text_end) + "\nidentity " +
           std::to_string(alignment.columns('=')) + " of " + std::to_string(columns) + " columns (" +
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

const char* strand_of(const AlignedPair& pair) { return pair.is_reverse ? "-" : "+"; }

}  // namespace

std::string align_text(const AlignOptions& options, const AlignedPair& pair) {
    const auto& [query, text, scheme, is_reverse, result] = pair;
    const double cells = static_cast<double>(query.sequence.size()) * static_cast<double>(text.sequence.size());
    std::string lines = text::terminal_line(query.name) + " (" + std::to_string(query.sequence.size()) + ") x " +
                        text::terminal_line(text.name) + " (" + std::to_string(text.sequence.size()) + ")\nscore    " +
                        std::to_string(result.end.score) + " (" + (options.global ? "global" : "local") + ", " +
                        options.scheme + ")\ngaps     cost " + std::to_string(scheme.gap_first) +
                        " for the first letter, " + std::to_string(scheme.gap_further) + " for each further one\n";
    if (options.both_strands)
        lines +=
            std::string("strand   ") + strand_of(pair) + (is_reverse ? " (the query's reverse complement)\n" : "\n");
    if (has_alignment(options, result))
        lines += alignment_text(pair);
    else if (!options.global && result.end.score > 0)
        lines += "ends at  query " + std::to_string(last_query_letter(pair)) + ", text " +
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

boost::json::object align_json(const AlignOptions& options, const AlignedPair& pair) {
    const PairResult& result = pair.result;
    boost::json::object object{{"query", pair.query.name},
                               {"query_length", pair.query.sequence.size()},
                               {"text", pair.text.name},
                               {"text_length", pair.text.sequence.size()},
                               {"mode", options.global ? "global" : "local"},
                               {"scheme", options.scheme},
                               {"score", result.end.score},
                               {"strand", strand_of(pair)}};
    if (has_alignment(options, result)) {
        const Alignment& alignment = *result.alignment;
        const auto [begin, end] = query_part(pair);
        object["query_start"] = begin + 1;
        object["query_end"] = end;
        object["text_start"] = alignment.text_begin + 1;
        object["text_end"] = alignment.text_end;
        object["matches"] = alignment.columns('=');
        object["columns"] = all_columns(alignment);
        object["mismatches"] = alignment.columns('X');
        object["gaps"] = gap_letters(alignment);
        object["cigar"] = alignment.cigar();
    } else if (!options.global && result.end.score > 0) {
        object[pair.is_reverse ? "query_start" : "query_end"] = last_query_letter(pair);
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

std::string align_tsv(const AlignOptions& options, const AlignedPair& pair) {
    const auto object = align_json(options, pair);
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

std::string align_paf(const AlignOptions& options, const AlignedPair& pair) {
    if (!has_alignment(options, pair.result)) return "";
    const Alignment& alignment = *pair.result.alignment;
    const auto [begin, end] = query_part(pair);
    const auto name = [](const FastaRecord& record) {
        return record.name.empty() ? std::string("*") : text::terminal_line(record.name);
    };
    std::string line = name(pair.query);
    const auto add = [&line](const auto& field) {
        line += '\t';
        line += field;
    };
    const auto add_number = [&add](std::uint64_t number) { add(std::to_string(number)); };
    constexpr unsigned no_mapping_quality = 255;
    add_number(pair.query.sequence.size());
    add_number(begin);
    add_number(end);
    add(strand_of(pair));
    add(name(pair.text));
    add_number(pair.text.sequence.size());
    add_number(alignment.text_begin);
    add_number(alignment.text_end);
    add_number(alignment.columns('='));
    add_number(all_columns(alignment));
    add_number(no_mapping_quality);
    add("AS:i:" + std::to_string(pair.result.end.score));
    add("NM:i:" + std::to_string(alignment.columns('X') + gap_letters(alignment)));
    add("cg:Z:" + alignment.cigar());
    return line + "\n";
}

}  // namespace sluice::cli
