#include "gpu/operators/memory.hpp"

#include "gpu/operators/edits/alphabet.hpp"
#include "gpu/operators/edits/characters.hpp"
#include "gpu/operators/edits/table_size.hpp"
#include "gpu/operators/family.hpp"
#include "gpu/operators/regex/regex.hpp"

namespace sluice::operators {

namespace {

constexpr std::size_t fixed_bytes = 3072;   // per measure, in tables and lists
constexpr std::size_t series_bytes = 6144;  // an answer for each text of a batch
constexpr std::size_t copies = 6;           // of the operand, in the engine and in segments that are being merged
constexpr std::size_t piece_bytes = 24;     // of pieces (edits/piece_filter.hpp), for each byte of a pattern
constexpr std::size_t class_bytes = 48;     // per character in the set's alphabet

std::size_t edits_bytes(const engine::Measure& m) {
    const std::u32string codes = edits::characters(m.operand);
    const std::size_t code_bytes = codes.size() * sizeof(char32_t);
    if (m.scheme != "unit") return 4 * code_bytes;  // including a column and a copy of a text
    const std::vector<std::uint32_t> classes(codes.begin(), codes.end());
    const auto distinct = edits::distinct_of(classes);
    std::size_t others = 0;
    for (const std::uint32_t c : distinct) others += c >= edits::Alphabet::other;
    const std::size_t pieces = m.kind == engine::Measure::Kind::approx_distance ? piece_bytes * m.operand.size() : 0;
    return code_bytes + class_bytes * others + pieces + edits::table_bytes_max({codes.size(), distinct.size()});
}

std::size_t kind_bytes(const engine::Measure& m) {
    switch (family_of(m.kind)) {
        case OperatorFamilyKind::regex:
            return regex::compile_regex(m.operand)->bytes_max() + regex::regex_set_share_bytes;
        case OperatorFamilyKind::edits:
            return edits_bytes(m);
        case OperatorFamilyKind::alignment:
            return 0;
        case OperatorFamilyKind::recurrence:
            break;
    }
    return series_bytes;
}

}  // namespace

std::size_t operator_bytes(const engine::Measure& m) { return fixed_bytes + copies * m.operand.size() + kind_bytes(m); }

}  // namespace sluice::operators
