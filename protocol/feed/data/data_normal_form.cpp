#include "protocol/feed/data/data_normal_form.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "protocol/feed/model/normal_text.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

void append_counted(std::string& out, std::string_view text) {
    out += std::to_string(text.size());
    out += ':';
    out += text;
}

}  // namespace

std::string normal_decimal(std::string_view number) {
    constexpr std::int64_t exponent_max = 1'000'000'000'000'000;
    const bool is_negative = number.starts_with('-');
    const std::size_t exponent_at = std::min(number.find_first_of("eE"), number.size());
    std::string digits;
    std::int64_t power = 0;  // digits before the point
    bool is_fraction = false;
    for (const char c : number.substr(0, exponent_at)) {
        if (c == '.') is_fraction = true;
        if (!text::is_ascii_digit(c)) continue;
        if (digits.empty() && c == '0') {
            if (is_fraction) --power;
            continue;
        }
        digits += c;
        if (!is_fraction) ++power;
    }
    digits.resize(digits.find_last_not_of('0') + 1);
    if (digits.empty()) return "0";
    if (exponent_at < number.size()) {
        std::string_view written = number.substr(exponent_at + 1);
        if (written.starts_with('+')) written.remove_prefix(1);
        std::int64_t exponent = 0;
        const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), exponent);
        if (error != std::errc() || exponent > exponent_max || exponent < -exponent_max) return std::string(number);
        power += exponent;
    }
    const bool is_plain = power == static_cast<std::int64_t>(digits.size());
    return (is_negative ? "-" : "") + digits + (is_plain ? "" : "^" + std::to_string(power));
}

void DataNormalizer::clear() {
    written_.clear();
    objects_.clear();
    members_.clear();
    open_objects_.clear();
    open_members_.clear();
    open_object();
}

void DataNormalizer::open_object() {
    open_objects_.push_back(objects_.size());
    objects_.push_back({written_.size()});
    written_ += 'd';
}

void DataNormalizer::close_object() {
    Object& object = objects_[open_objects_.back()];
    open_objects_.pop_back();
    written_ += 'e';
    object.end = written_.size();
    object.behind = objects_.size();
}

void DataNormalizer::open_member(std::string_view key, std::string_view name) {
    Member member;
    member.begin = written_.size();
    append_counted(written_, key);
    member.value = written_.size();
    member.key_size = key.size();
    member.objects = objects_.size();
    if (!ignored_.has_key(name)) {
        Object& object = objects_[open_objects_.back()];
        member.previous = std::exchange(object.last, members_.size());
    }
    open_members_.push_back(members_.size());
    members_.push_back(member);
}

void DataNormalizer::close_member() {
    members_[open_members_.back()].end = written_.size();
    open_members_.pop_back();
}

void DataNormalizer::string(std::string_view text) {
    if (!may_have_address(text)) return append_counted(written_, text);
    room_.clear();
    append_normal_text(room_, text, ignored_);
    append_counted(written_, room_);
}

void DataNormalizer::scalar(std::string_view json) {
    const char first = json.empty() ? 'n' : json.front();
    if (first == 't' || first == 'f' || first == 'n')
        written_ += first;
    else
        written_.append("i").append(normal_decimal(json)).append("e");
}

const std::string& DataNormalizer::normal_form() {
    if (!open_objects_.empty()) close_object();
    form_.clear();
    form_.reserve(written_.size());
    append_range(0, written_.size(), 0);
    return form_;
}

// Appends a part of what was written, in which object number `objects` is the first, with the members in order.
// Recurses to the depth of the document.
void DataNormalizer::append_range(std::size_t begin, std::size_t end, std::size_t objects) {
    while (objects < objects_.size() && objects_[objects].begin < end) {
        const Object& object = objects_[objects];
        form_.append(written_, begin, object.begin - begin);
        append_object(object);
        begin = object.end;
        objects = object.behind;
    }
    form_.append(written_, begin, end - begin);
}

// Keys that repeat stay in their order.
void DataNormalizer::append_object(const Object& object) {
    const std::size_t first = order_.size();
    for (std::size_t m = object.last; m != none; m = members_[m].previous) order_.push_back(m);
    const auto key = [&](std::size_t m) { return members_[m].key(written_); };
    std::sort(order_.begin() + static_cast<std::ptrdiff_t>(first), order_.end(), [&](std::size_t a, std::size_t b) {
        const int difference = key(a).compare(key(b));
        return difference < 0 || (difference == 0 && a < b);
    });
    form_ += 'd';
    const std::size_t count = order_.size();
    for (std::size_t i = first; i < count; ++i) {
        const Member& member = members_[order_[i]];
        append_range(member.begin, member.end, member.objects);
    }
    form_ += 'e';
    order_.resize(first);
}

}  // namespace sluice::feed
