#include "broker/cli/common/fasta.hpp"

#include "broker/cli/common/joined_fasta.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/fasta.hpp"

namespace sluice::cli {

FastaFile parse_fasta(std::string_view text) {
    using Kind = text::FastaReader::Part::Kind;
    FastaFile file;
    text::FastaReader reader;
    std::size_t last_header = 0;
    const auto refuse = [&](std::size_t line, std::string error) {
        file.error = std::move(error);
        file.error_line = line;
        return file;
    };
    const auto leave_out_if_empty = [&] {
        if (file.records.empty() || !file.records.back().sequence.empty()) return;
        file.empty_records.push_back({std::move(file.records.back().name), last_header});
        file.records.pop_back();
    };
    reader.give(text, true);
    while (const auto part = reader.next()) {
        if (part->kind == Kind::residues) {
            file.records.back().sequence += part->text;
        } else if (part->kind == Kind::header) {
            leave_out_if_empty();
            file.records.push_back({std::string(text::fasta_name(part->text)), {}});
            last_header = reader.line();
        } else {
            return refuse(reader.line(), describe_fasta_fault(reader, *part));
        }
    }
    leave_out_if_empty();
    if (!file.records.empty()) return file;
    if (file.empty_records.empty()) return refuse(1, "there is no sequence");
    return refuse(file.empty_records.front().line, "the sequence has no letters");
}

bool has_fasta_name(std::string_view path) {
    const std::string name = text::ascii_lower(path);
    for (const std::string_view ending : {".fasta", ".fa", ".fas", ".fna", ".faa", ".ffn", ".frn"})
        if (name.ends_with(ending)) return true;
    return false;
}

}  // namespace sluice::cli
