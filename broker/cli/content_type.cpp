#include "broker/cli/content_type.hpp"

#include "protocol/text/ascii.hpp"

namespace sluice::cli {

std::string content_type_of(std::string_view file, std::string_view document) {
    struct Ending {
        std::string_view ending, type;
    };
    static constexpr Ending endings[] = {
        {".ndjson", "application/x-ndjson"},
        {".jsonl", "application/x-ndjson"},
        {".csv", "text/csv"},
        {".fasta", "text/x-fasta"},
        {".fa", "text/x-fasta"},
        {".fastq", "text/x-fastq"},
        {".fq", "text/x-fastq"},
        {".json", "application/json"},
        {".rss", "application/rss+xml"},
        {".atom", "application/atom+xml"},
        {".rdf", "application/rdf+xml"},
    };
    const std::string name = text::ascii_lower(file);
    for (const auto& [ending, type] : endings)
        if (name.ends_with(ending)) return std::string(type);
    if (document.starts_with("\xEF\xBB\xBF")) document.remove_prefix(3);
    const bool is_text = text::trim(document).find_first_of("{[>@") == 0;
    return is_text ? "text/plain" : "application/xml";
}

}  // namespace sluice::cli
