#include "protocol/feed/values/value_sink.hpp"

#include <algorithm>
#include <limits>

#include "protocol/feed/model/node_text.hpp"
#include "protocol/feed/values/reading_budget.hpp"
#include "protocol/filter/syntax/lower_case.hpp"
#include "protocol/filter/syntax/xpath_number.hpp"
#include "protocol/text/date.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

using Function = filter::Attribute::Function;

namespace {

// True of functions that give one value for any number of nodes.
constexpr bool is_fold(Function function) {
    using enum filter::Attribute::Function;
    return function == string || function == normalize_space || function == string_length || function == count ||
           function == sum || function == string_of_lower_case;
}

}  // namespace

std::size_t Folds::slot(std::uint32_t attribute) const {
    std::size_t at = (attribute * 0x9E3779B97F4A7C15u >> 32) & (slots_.size() - 1);
    while (slots_[at] != none && (*this)[slots_[at]].attribute != attribute) at = (at + 1) & (slots_.size() - 1);
    return at;
}

std::uint32_t Folds::find(std::uint32_t attribute) const {
    if (!slots_.empty()) return slots_[slot(attribute)];
    for (std::uint32_t i = 0; i < size_; ++i)
        if (first_[i].attribute == attribute) return i;
    return none;
}

// Keeps at most half of the slots in use.
void Folds::index() {
    const auto put = [this](std::uint32_t i) { slots_[slot((*this)[i].attribute)] = i; };
    if (2 * size_ <= slots_.size()) return put(size_ - 1);
    slots_.assign(std::max<std::size_t>(4 * few, 2 * slots_.size()), none);
    for (std::uint32_t i = 0; i < size_; ++i) put(i);
}

Folds::Fold& Folds::of(const PathReader& reader) {
    if (const std::uint32_t known = find(reader.attribute); known != none)
        return known < few ? first_[known] : more_[known - few];
    const Fold fold{reader.attribute, reader.function, 0, {}};
    if (size_ < few) return first_[size_++] = fold;
    more_.push_back(fold);
    ++size_;
    index();
    return more_.back();
}

void ValueSink::finish() {
    for (std::uint32_t i = 0; i < folds_.size(); ++i) end(folds_[i]);
}

bool ValueSink::needs_text(const PathReader& reader) const {
    if (reader.function == Function::count) return false;
    return reader.function == Function::sum || !is_fold(reader.function) || !folds_.has(reader.attribute);
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
            fold(reader, text);
    }
}

void ValueSink::fold(const PathReader& reader, std::string_view text) {
    meter_.spend(1);
    const bool is_first = !folds_.has(reader.attribute);
    if (is_first) meter_.spend(ReadingBudget::steps_per_value);
    Folds::Fold& fold = folds_.of(reader);
    switch (fold.function) {
        case Function::count:
            fold.number += 1;
            return;
        case Function::sum:
            meter_.read(text.size());
            fold.number += filter::xpath_number(text);
            return;
        default:
            if (is_first) fold.text = text;
    }
}

void ValueSink::end(const Folds::Fold& fold) {
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
