#include "protocol/feed/model/document_syntax.hpp"

#include <algorithm>

#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

struct NamedSyntax {
    std::string_view type;
    Syntax syntax;
};

// Types that mean one syntax. The first of each syntax is its media_type_of().
constexpr NamedSyntax named_syntaxes[] = {
    {"application/xml", Syntax::xml},
    {"application/json", Syntax::json},
    {"application/x-ndjson", Syntax::json_lines},
    {"application/ndjson", Syntax::json_lines},
    {"text/x-ndjson", Syntax::json_lines},
    {"text/ndjson", Syntax::json_lines},
    {"application/jsonl", Syntax::json_lines},
    {"application/x-jsonl", Syntax::json_lines},
    {"text/jsonl", Syntax::json_lines},
    {"application/jsonlines", Syntax::json_lines},
    {"application/x-jsonlines", Syntax::json_lines},
    {"application/json-lines", Syntax::json_lines},
    {"application/cloudevents+json", Syntax::cloud_event},
    {"application/cloudevents-batch+json", Syntax::cloud_events},
    {"text/csv", Syntax::csv},
    {"text/x-csv", Syntax::csv},
    {"application/csv", Syntax::csv},
    {"application/x-csv", Syntax::csv},
    {"text/comma-separated-values", Syntax::csv},
    {tab_separated_type, Syntax::csv},
    {"text/x-fasta", Syntax::fasta},
    {"text/fasta", Syntax::fasta},
    {"application/x-fasta", Syntax::fasta},
    {"application/fasta", Syntax::fasta},
    {"chemical/seq-na-fasta", Syntax::fasta},
    {"chemical/seq-aa-fasta", Syntax::fasta},
    {"text/x-fastq", Syntax::fastq},
    {"text/fastq", Syntax::fastq},
    {"application/x-fastq", Syntax::fastq},
    {"application/fastq", Syntax::fastq},
    {"chemical/seq-na-fastq", Syntax::fastq},
};

// Types that any text may have; curl sends the last one.
constexpr std::string_view open_types[] = {
    "", "text/plain", "application/octet-stream", "binary/octet-stream", "application/x-www-form-urlencoded", "*/*"};

// "application/rss+xml", and near misses such as "text/rss+xml".
bool claims(std::string_view type, std::string_view what) {
    return (type.starts_with("application/") || type.starts_with("text/")) && type.ends_with(what);
}

// Events in a format other than JSON: as XML or JSON they would be something else.
bool is_other_cloud_events(std::string_view type) {
    return type.starts_with("application/cloudevents") && !type.ends_with("+json");
}

std::string_view content_of(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    return text.substr(std::min(text.find_first_not_of(text::ascii_space), text.size()));
}

bool begins_as_json(std::string_view content) { return content.starts_with('{') || content.starts_with('['); }

// One JSON text never has a line that ends with '}' before one that begins with '{': a comma would be between them.
bool begins_as_json_lines(std::string_view content) {
    if (!content.starts_with('{')) return false;
    const std::size_t end = content.find_first_of("\r\n");
    if (end == std::string_view::npos) return false;
    return text::trim(content.substr(0, end)).ends_with('}') && content_of(content.substr(end)).starts_with('{');
}

Syntax sequence_syntax(std::string_view content, Syntax otherwise) {
    if (content.starts_with('>')) return Syntax::fasta;
    if (content.starts_with('@')) return Syntax::fastq;
    return otherwise;
}

}  // namespace

std::optional<Syntax> document_syntax(const MediaType& type, std::string_view text) {
    if (is_other_cloud_events(type.type)) return std::nullopt;
    const std::string_view content = content_of(text);
    const Syntax xml_or_json = begins_as_json(content) ? Syntax::json : Syntax::xml;
    if (claims(type.type, "xml")) return xml_or_json;  // most documents
    const auto is_same = [&](const NamedSyntax& each) { return each.type == type.type; };
    const auto* const found = std::find_if(std::begin(named_syntaxes), std::end(named_syntaxes), is_same);
    if (found != std::end(named_syntaxes) && (found->syntax == Syntax::fasta || found->syntax == Syntax::fastq))
        return sequence_syntax(content, found->syntax);
    if (found != std::end(named_syntaxes) && found->syntax > Syntax::json) return found->syntax;
    if (claims(type.type, "json")) return content.starts_with('<') ? Syntax::xml : Syntax::json;
    if (names_feed(type.type)) return xml_or_json;
    if (std::find(std::begin(open_types), std::end(open_types), type.type) == std::end(open_types)) return std::nullopt;
    if (begins_as_json_lines(content)) return Syntax::json_lines;
    if (begins_as_json(content)) return Syntax::json;
    return type.type == "text/plain" ? sequence_syntax(content, Syntax::xml) : Syntax::xml;
}

std::string_view media_type_of(Syntax syntax) {
    return std::find_if(std::begin(named_syntaxes), std::end(named_syntaxes),
                        [&](const auto& each) { return each.syntax == syntax; })
        ->type;
}

bool is_json(Syntax syntax) {
    return syntax == Syntax::json || syntax == Syntax::json_lines || syntax == Syntax::cloud_event ||
           syntax == Syntax::cloud_events;
}

std::string accepted_media_types() {
    return "application/rss+xml, application/atom+xml, application/rdf+xml, application/xml, text/xml, "
           "application/feed+json, application/json, application/x-ndjson, application/jsonl, "
           "application/cloudevents+json, application/cloudevents-batch+json, text/csv, text/tab-separated-values, "
           "text/x-fasta, text/x-fastq, "
           "text/plain";
}

}  // namespace sluice::feed
