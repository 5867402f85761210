#include "protocol/feed/value_sink.hpp"

#include <limits>

#include "protocol/feed/node_text.hpp"
#include "protocol/feed/reading_budget.hpp"
#include "protocol/filter/lower_case.hpp"
#include "protocol/filter/xpath_number.hpp"
#include "protocol/text/date.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

using Function = filter::Attribute::Function;

void ValueSink::finish() {
    for (Fold& fold : folds_) end(fold);
}

bool ValueSink::needs_text(const PathReader& reader) const {
    if (reader.function == Function::count) return false;
    return reader.fold == PathReader::no_fold || reader.function == Function::sum || !folds_[reader.fold].found;
}

void ValueSink::read(const PathReader& reader, std::string_view text) {
    switch (reader.function) {
        case Function::each:
            meter_.spend(ReadingBudget::steps_per_value);
            add(reader.attribute, text);
            return;
        case Function::lower_case:
            meter_.spend(ReadingBudget::steps_per_value + text.size());
            add(reader.attribute, arena_.keep(filter::lower_case(text)));
            return;
        case Function::date:
            meter_.spend(2 * ReadingBudget::steps_per_value);
            meter_.read(text.size());
            add(reader.attribute, text::parse_date(text).value_or(std::numeric_limits<double>::quiet_NaN()));
            return;
        default:
            fold(folds_[reader.fold], text);
    }
}

void ValueSink::fold(Fold& fold, std::string_view text) {
    meter_.spend(1);
    switch (fold.function) {
        case Function::count:
            fold.number += 1;
            return;
        case Function::sum:
            meter_.read(text.size());
            fold.number += filter::xpath_number(text);
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
            meter_.read(fold.text.size());
            add(fold.attribute, static_cast<double>(text::count_characters(fold.text)));
            return;
        case Function::normalize_space:
            meter_.spend(fold.text.size());
            add(fold.attribute, normalize_space(fold.text, arena_));
            return;
        case Function::string_of_lower_case:
            meter_.spend(fold.text.size());
            add(fold.attribute, arena_.keep(filter::lower_case(fold.text)));
            return;
        default:
            add(fold.attribute, fold.text);
    }
}

void ValueSink::add(std::uint32_t attribute, std::string_view text) {
    if (!text.empty()) meter_.read(text.size());
    values_.push_back({attribute, text, filter::xpath_number(text)});
}

void ValueSink::add(std::uint32_t attribute, double number) {
    values_.push_back({attribute, arena_.keep(filter::xpath_string(number)), number});
}

}  // namespace sluice::feed
