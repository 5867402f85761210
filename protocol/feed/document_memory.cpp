#include "protocol/feed/document_memory.hpp"

#include <algorithm>

#include "protocol/bytes/count.hpp"
#include "protocol/feed/data/data_normal_form.hpp"
#include "protocol/feed/data/json_reader.hpp"
#include "protocol/feed/model/document_syntax.hpp"
#include "protocol/feed/repair/xml_edits.hpp"
#include "protocol/feed/xml/xml_scanner.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

// Of pugixml 1.12 on a 64-bit machine: nodes and attributes lie in pages, without headers.
constexpr std::size_t node_bytes = 8 * sizeof(void*);
constexpr std::size_t attribute_bytes = 5 * sizeof(void*);
constexpr std::size_t page_bytes = 64u << 10;  // the last page is partly empty, and a long text has its own page
// A growing vector briefly holds both its old and its new storage.
constexpr std::size_t growth = 3;
// Of a value that is not XML: its name (plain_name_bytes in tree_memory.hpp) and its text with pugixml's headers.
constexpr std::size_t value_bytes = 96;
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
    std::size_t text = 0, elements = 0, attributes = 0, tags = 0;
};

// While the document is scanned, vectors and the normal form grow, and there is no tree; then there is one.
std::size_t xml_memory(const XmlCounts& counts, bool has_normal_form) {
    const std::size_t form = XmlNormalForm::bytes_max(counts.text, counts.elements + counts.attributes);
    const std::size_t reserved = XmlNormalForm::reserve(counts.text);
    const std::size_t growing = !has_normal_form ? 0 : form <= reserved ? reserved : growth * form;
    const std::size_t kept = !has_normal_form ? 0 : std::max(reserved, form + form / 4);
    const std::size_t ranges =
        counts.elements * (sizeof(ElementRange) + (has_normal_form ? sizeof(XmlNormalForm::Range) : 0));
    const std::size_t tree = counts.elements * node_bytes + counts.tags * node_bytes;
    const std::size_t per_attribute =
        attribute_bytes + sizeof(UndeclaredName) + sizeof(NamespaceDeclarations::Declaration) * growth;
    // While they grow, elements in UndeclaredName fit into what the ranges get beyond their final size.
    const std::size_t kept_ranges = counts.elements < ScannedXml::few_elements ? 2 * ranges : ranges + ranges / 4;
    return counts.attributes * per_attribute +
           std::max(growth * ranges + growing, kept_ranges + counts.elements * sizeof(UndeclaredName) + kept + tree);
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
    // Text may follow each tag.
    const XmlCounts counts{text, elements, std::min(marks.equals, limits.values_max), marks.opening + marks.closing};
    const std::size_t xml = xml_memory(counts, options.digests.has_value());
    const std::size_t values = std::min(count_values(document, syntax, options.content_type.type), limits.values_max);
    const std::size_t normalized = options.digests ? DataNormalizer::memory_max(text, values) : 0;
    const std::size_t data =
        values * (2 * node_bytes + value_bytes) + (values > 0 ? sum_exponents(document) + normalized : 0);
    const std::size_t items = std::min(limits.items_max, elements + values) * sizeof(Item) * growth;
    // A byte may become five ("&amp;"), in up to three texts at a time: readings in two encodings, the repaired text.
    const bool may_be_repaired = options.repair == RepairMode::lenient && syntax == Syntax::xml;
    const std::size_t repaired = may_be_repaired
                                     ? 3 * std::min(5 * document.size(), limits.document_bytes_max) +
                                           std::min(document.size() / 2, XmlEdits::pieces_max) * XmlEdits::piece_bytes
                                     : 0;
    return 3 * text + std::max(xml, data) + items + repaired + page_bytes;
}

}  // namespace sluice::feed
