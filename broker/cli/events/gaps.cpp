#include "broker/cli/events/gaps.hpp"

#include <boost/json.hpp>
#include <utility>

#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

std::string text(const json::value& gap, const char* member) {
    const auto* found = gap.get_object().if_contains(member);
    return found ? json::serialize(*found) : "?";
}

std::uint64_t events_of(const json::value& gap) {
    const auto* found = gap.get_object().if_contains("events");
    if (found == nullptr) return 1;
    boost::system::error_code error;
    const auto events = found->to_number<std::uint64_t>(error);
    return error ? 1 : events;
}

constexpr const char* undelivered = R"("undelivered")";

std::string fate(const std::string& reason) { return reason == undelivered ? " not delivered" : " not decided"; }

}  // namespace

void Gaps::take(const std::string& data) {
    boost::system::error_code error;
    const json::value gap = json::parse(data, error);
    if (error || !gap.is_object()) return;
    const std::uint64_t events = events_of(gap);
    if (const std::string reason = text(gap, "reason"); reason != reason_) {
        end();
        reason_ = reason;
    }
    any_ = true;
    if (!std::exchange(told_first_, true)) {
        const std::string which = events == 1 ? "event " + text(gap, "last_id")
                                              : std::to_string(events) + " events from " + text(gap, "first_id") +
                                                    " to " + text(gap, "last_id");
        console_.warning(which + " of stream " + text(gap, "stream") + (events == 1 ? " was" : " were") +
                             fate(reason_) + ": " + cause_of(gap),
                         {{"gap", gap}});
    } else {
        more_ += events;
        last_ = gap;
    }
}

void Gaps::end() {
    if (more_ != 0)
        console_.warning(std::to_string(more_) + (more_ == 1 ? " more was" : " more were") + fate(reason_) +
                             ", up to event " + text(last_, "last_id") + " of stream " + text(last_, "stream"),
                         {{"gap", last_}});
    told_first_ = false;
    more_ = 0;
}

std::string Gaps::cause_of(const json::value& gap) const {
    if (reason_ == undelivered) return "the broker could not match or send it";
    if (reason_ == R"("context")") return filter_of(gap) + " looks at other items of the document, which were not kept";
    return filter_of(gap) + " exceeds its budget";
}

std::string Gaps::filter_of(const json::value& gap) const {
    constexpr std::size_t filter_bytes_max = 200;
    const auto* number = gap.get_object().if_contains("filter");
    boost::system::error_code error;
    const auto index = number ? number->to_number<std::size_t>(error) : filters_.size();
    if (error || index >= filters_.size()) return "the filter";
    return "the filter " + text::shortened_utf8(filters_[index], filter_bytes_max);
}

}  // namespace sluice::cli
