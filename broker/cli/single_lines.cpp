#include "broker/cli/single_lines.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string_view>
#include <utility>

#include "broker/cli/client/members.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

constexpr std::size_t faults_max = 20;  // that a summary names: the first ones

void add_count(json::object& summary, std::string_view name, std::uint64_t more) {
    if (more != 0) summary[name] = number_in(summary, name) + more;
}

}  // namespace

void SingleLines::accept(std::uint64_t number, const json::object& reply) {
    ++accepted_;
    if (numbers_.size() < faults_max) numbers_.push_back(number);
    received_ += number_in(reply, "received");
    added_ += number_in(reply, "new");
    updated_ += number_in(reply, "updated");
    unchanged_ += number_in(reply, "unchanged");
    items_refused_ += number_in(reply, "refused");
    const std::uint64_t first = number_in(reply, "first_id");
    if (first != 0) first_id_ = first_id_ == 0 ? first : std::min(first_id_, first);
    last_id_ = std::max(last_id_, number_in(reply, "last_id"));
}

void SingleLines::add_to(json::object& summary) const {
    if (accepted_ == 0) return;
    const std::uint64_t refused = number_in(summary, "refused");
    summary["refused"] = refused - std::min(refused, accepted_);
    add_count(summary, "accepted", accepted_);
    add_count(summary, "received", received_);
    add_count(summary, "new", added_);
    add_count(summary, "updated", updated_);
    add_count(summary, "unchanged", unchanged_);
    add_count(summary, "items_refused", items_refused_);
    const std::uint64_t first = number_in(summary, "first_id");
    if (first_id_ != 0) summary["first_id"] = first == 0 ? first_id_ : std::min(first, first_id_);
    if (last_id_ > number_in(summary, "last_id")) summary["last_id"] = last_id_;
    json::array faults = array_in(summary, "faults");
    const auto is_mended = [this](const json::value& fault) {
        const std::uint64_t number = fault.is_object() ? number_in(fault.get_object(), "number") : 0;
        return std::find(numbers_.begin(), numbers_.end(), number) != numbers_.end();
    };
    faults.erase(std::remove_if(faults.begin(), faults.end(), is_mended), faults.end());
    if (faults.empty())
        summary.stable_erase("faults");
    else
        summary["faults"] = std::move(faults);
}

json::object summary_of_one(const json::object& reply) {
    json::object summary;
    if (const json::value* stream = reply.if_contains("stream")) summary["stream"] = *stream;
    const json::object counts{{"documents", 1},      {"accepted", 0},     {"refused", 1}, {"next_number", 2},
                              {"received", 0},       {"new", 0},          {"updated", 0}, {"unchanged", 0},
                              {"first_id", nullptr}, {"last_id", nullptr}};
    for (const auto& [name, value] : counts) summary[name] = value;
    if (const json::value* stored = reply.if_contains("stored")) summary["stored"] = *stored;
    return summary;
}

}  // namespace sluice::cli
