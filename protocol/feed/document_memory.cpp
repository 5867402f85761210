#include "protocol/feed/document_memory.hpp"

#include <algorithm>

#include "protocol/bytes/count.hpp"
#include "protocol/feed/data/data_normal_form.hpp"
#include "protocol/feed/data/document_builder.hpp"
#include "protocol/feed/data/json_reader.hpp"
#include "protocol/feed/model/document_syntax.hpp"
#include "protocol/feed/repair/xml_edits.hpp"
#include "protocol/feed/xml/xml_scanner.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

// A growing vector briefly holds both its old and its new storage.
constexpr std::size_t growth = 3;
constexpr std::size_t fixed_bytes = 16u << 10;  // what is reserved at first, and the document itself
// Of a name that is in another namespace than its prefix says: its new prefix, and its place in a set.
constexpr std::size_t made_name_bytes = 16, known_name_bytes = 64;
constexpr std::size_t sequence_values = 5;  // of a FASTQ record: item, @id, description, sequence, quality

// What numbers grow by when they are written out (number_text): at most their exponents.
std::size_t sum_exponents(std::string_view document) {
    std::size_t sum = 0;
    for (std::size_t i = 0; (i = bytes::find_exponent(document, i)) != document.size();) {
        std::size_t exponent = 0;
        for (++i; i < document.size(); ++i) {
            const char c = document[i];
            if (c == '+' || c == '-' || c == '\0') continue;  // zero: in UTF-16
            if (!text::is_ascii_digit(c)) break;
            exponent = std::min(10 * exponent + static_cast<std::size_t>(c - '0'), number_text_max);
        }
        sum += exponent;
    }
    return sum;
}

// Of a document that is not XML; 0: it is XML. The first bytes of UTF-16 do not show it.
std::size_t count_values(std::string_view document, Syntax syntax, const std::string& type) {
    switch (syntax) {
        case Syntax::xml: {
            const std::string_view before_tag = document.substr(0, document.find('<'));
            const auto has_any = [&](std::string_view marks) {
                return before_tag.find_first_of(marks) != before_tag.npos;
            };
            if (type == "text/plain" && has_any(">@")) return count_values(document, Syntax::fasta, type);
            if (!has_any("{[")) return 0;
            break;
        }
        case Syntax::csv:
            return 2 * bytes::count_in<bytes::CsvSeparator>(document) + 2;  // a row of one field is two values
        case Syntax::fasta:
        case Syntax::fastq:
            return sequence_values * (bytes::count_in<bytes::SequenceMark>(document) + 1);
        default:
            break;
    }
    return bytes::count_in<bytes::JsonSeparator>(document) + 1;
}

struct XmlCounts {
    std::size_t text = 0, elements = 0, attributes = 0;
    std::size_t names = 0;  // of both together
    std::size_t tags = 0;
};

// What blocks take beyond the texts in them.
std::size_t block_overhead(std::size_t text_bytes) { return TextBlocks::bytes_max(text_bytes) - text_bytes; }

// While the document is scanned, vectors, the tree among them, grow one at a time, and so does the normal form.
std::size_t xml_memory(const XmlCounts& counts, bool has_normal_form) {
    const std::size_t form = XmlNormalForm::bytes_max(counts.text, counts.names);
    const std::size_t reserved = XmlNormalForm::reserve(counts.text);
    // A string doubles.
    const std::size_t form_bytes = !has_normal_form       ? 0
                                   : form <= reserved     ? reserved
                                   : form <= 2 * reserved ? 2 * reserved
                                                          : 2 * form;
    const std::size_t nodes =
        std::max(room_max(counts.elements + counts.tags), ScannedXml::usual_nodes(counts.text)) * Tree::node_bytes;
    const std::size_t attributes = room_max(counts.attributes) * Tree::attribute_bytes;
    const std::size_t ranges =
        room_max(counts.elements) * (sizeof(ElementRange) + (has_normal_form ? sizeof(XmlNormalForm::Range) : 0));
    const std::size_t undeclared = room_max(counts.names) * sizeof(UndeclaredName);
    const std::size_t declarations = room_max(counts.attributes) * sizeof(NamespaceDeclarations::Declaration);
    // Without declarations, no name is another in the tree.
    const std::size_t made_names = counts.attributes == 0 ? 0 : counts.names;
    return nodes + attributes + ranges + undeclared + declarations +
           std::max({nodes, attributes, ranges, undeclared, declarations, form_bytes}) * 8 / 9 + form_bytes +
           block_overhead(counts.text + made_names * made_name_bytes) +
           made_names * (made_name_bytes + known_name_bytes);
}

}  // namespace

// Covers XML and JSON both where parsing alone shows which it is; the larger estimate counts. UTF-16 contains each mark
// as a byte, too, and grows by up to half in UTF-8.
std::size_t document_memory_max(std::string_view document, const DocumentOptions& options) {
    const FeedLimits& limits = options.limits;
    const Syntax syntax = document_syntax(options.content_type, document).value_or(Syntax::xml);
    const bytes::XmlMarks marks = syntax == Syntax::xml ? bytes::count_xml_marks(document) : bytes::XmlMarks();
    const std::size_t text = std::min(document.size() + document.size() / 2, limits.document_bytes_max);
    const std::size_t elements = std::min(marks.opening, limits.values_max);
    const std::size_t attributes = std::min(marks.equals, limits.values_max);
    // Text may follow each tag, up to where there are too many values.
    const std::size_t tags = elements + std::min(marks.closing, elements);
    const XmlCounts counts{text, elements, attributes, std::min(elements + attributes, limits.values_max), tags};
    const std::size_t xml = xml_memory(counts, options.digests.has_value());
    const std::size_t values = std::min(count_values(document, syntax, options.content_type.type), limits.values_max);
    const std::size_t normalized = options.digests ? DataNormalizer::memory_max(text, values) : 0;
    const std::size_t beside_text = values == 0 ? 0 : values * plain_name_bytes + sum_exponents(document);
    const std::size_t data = values == 0 ? 0
                                         : 2 * room_max(2 * values) * Tree::node_bytes + normalized +
                                               block_overhead(2 * text + beside_text) + beside_text;
    const std::size_t items = std::min(limits.items_max, elements + values) * sizeof(Item) * growth;
    // A byte may become five ("&amp;"), in up to three texts at a time: readings in two encodings, the repaired text.
    const bool may_be_repaired = options.repair == RepairMode::lenient && syntax == Syntax::xml;
    const std::size_t repaired = may_be_repaired
                                     ? 3 * std::min(5 * document.size(), limits.document_bytes_max) +
                                           std::min(document.size() / 2, XmlEdits::pieces_max) * XmlEdits::piece_bytes
                                     : 0;
    // Texts at a time: as published and converted; then converted, rewritten, and what is said; or converted, names and
    // values.
    return 3 * text + text / 16 + std::max(xml, data) + items + repaired + fixed_bytes;
}

}  // namespace sluice::feed
