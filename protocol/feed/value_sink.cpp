#include "protocol/feed/value_sink.hpp"

#include <algorithm>
#include <limits>

#include "protocol/feed/node_text.hpp"
#include "protocol/filter/case_folding.hpp"
#include "protocol/filter/xpath_number.hpp"
#include "protocol/text/date.hpp"

namespace sluice {

using Function = Attribute::Function;

void ValueSink::element(const PathReaders& readers, pugi::xml_node node) {
    const bool any = std::ranges::any_of(readers, [this](const PathReader& reader) { return needs_text(reader); });
    text(readers, any ? string_value(node, arena_) : std::string_view{});
}

void ValueSink::text(const PathReaders& readers, std::string_view text) {
    for (const PathReader& reader : readers) read(reader, text);
}

void ValueSink::finish() {
    for (Fold& fold : folds_) end(fold);
}

// A count has no use for the text, and what looks at the first node none for that of the others: no long text is put
// together in vain.
bool ValueSink::needs_text(const PathReader& reader) const {
    if (reader.function == Function::count) return false;
    return reader.fold == PathReader::no_fold || reader.function == Function::sum || !folds_[reader.fold].found;
}

void ValueSink::read(const PathReader& reader, std::string_view text) {
    switch (reader.function) {
        case Function::each:
            add(reader.attribute, text);
            return;
        case Function::lower_case:
            add(reader.attribute, arena_.keep(fold_case(text)));
            return;
        case Function::date:
            add(reader.attribute, parse_date(text).value_or(std::numeric_limits<double>::quiet_NaN()));
            return;
        default:
            fold(folds_[reader.fold], text);
    }
}

void ValueSink::fold(Fold& fold, std::string_view text) {
    switch (fold.function) {
        case Function::count:
            fold.number += 1;
            return;
        case Function::sum:
            fold.number += xpath_number(text);
            return;
        default:
            if (!fold.found) fold.text = text;
            fold.found = true;
    }
}

void ValueSink::end(Fold& fold) {
    switch (fold.function) {
        case Function::count:
        case Function::sum:
            add(fold.attribute, fold.number);
            return;
        case Function::string_length:
            add(fold.attribute, static_cast<double>(fold.text.size()));
            return;
        case Function::normalize_space:
            add(fold.attribute, normalize_space(fold.text, arena_));
            return;
        case Function::string_of_lower_case:
            add(fold.attribute, arena_.keep(fold_case(fold.text)));
            return;
        default:
            add(fold.attribute, fold.text);
    }
}

void ValueSink::add(std::uint32_t attribute, std::string_view text) {
    values_.push_back({attribute, text, xpath_number(text)});
}

void ValueSink::add(std::uint32_t attribute, double number) {
    values_.push_back({attribute, arena_.keep(xpath_string(number)), number});
}

}  // namespace sluice
