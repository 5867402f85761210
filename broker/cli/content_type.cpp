#include "broker/cli/content_type.hpp"

#include "broker/cli/common/fasta.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

std::string content_type_of(std::string_view file, std::string_view document) {
    struct Ending {
        std::string_view ending, type;
    };
    static constexpr Ending endings[] = {
        {".ndjson", "application/x-ndjson"},   {".jsonl", "application/x-ndjson"}, {".csv", "text/csv"},
        {".tsv", "text/tab-separated-values"}, {".fastq", "text/x-fastq"},         {".fq", "text/x-fastq"},
        {".json", "application/json"},         {".rss", "application/rss+xml"},    {".atom", "application/atom+xml"},
        {".rdf", "application/rdf+xml"},
    };
    const std::string name = text::ascii_lower(file);
    for (const auto& [ending, type] : endings)
        if (name.ends_with(ending)) return std::string(type);
    if (has_fasta_name(file)) return "text/x-fasta";
    const bool is_text = text::trim(text::without_byte_order_mark(document)).find_first_of("{[>@") == 0;
    return is_text ? "text/plain" : "application/xml";
}

}  // namespace sluice::cli
