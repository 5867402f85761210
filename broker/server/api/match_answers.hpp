// What a filter and each of its leaves say of events, for POST /v1/match, and its JSON. Belongs to one thread at a
// time.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/match/annotator.hpp"
#include "broker/match/batch_matcher.hpp"
#include "config/options.hpp"
#include "gpu/api/matcher.hpp"
#include "protocol/feed/model/event.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::server {

class MatchAnswers {
public:
    enum class Answer : std::uint8_t { no, unknown, yes };  // unknown: over budget

    // `pause` is called before each piece of work, with the estimated nanoseconds of a computation; it may throw.
    MatchAnswers(const filter::Filter& filter, const config::LimitOptions& limits, base::MemoryBudget& memory,
                 std::function<void(double ns)> pause);

    // Appends the answers for these events, at most engine::EventBatch::events_max.
    void find(std::span<const feed::Event> events);
    // Appends events of which nothing is known.
    void add_unknown(std::size_t events);

    // By events in the order in which they were appended.
    std::span<const Answer> of_filter() const { return answers_[0]; }
    boost::json::array because(std::size_t event) const;  // the leaves' answers, in their order

private:
    const std::function<void(double ns)> pause_;
    broker::BatchMatcher matcher_;
    std::shared_ptr<const engine::Program> program_;
    std::vector<std::uint32_t> index_of_slot_;
    std::vector<std::vector<Answer>> answers_;  // of the filter, then of each leaf; by event
};

boost::json::value json_of(MatchAnswers::Answer answer);  // null: unknown
boost::json::array hints_json(const filter::Filter& filter);
boost::json::array leaves_json(const filter::Filter& filter);

std::string time_text(feed::RecordTime time);
// `id`, `stream`, `time`, `title` and `item_id` of a retained event. `document`: its, with the item's index; null: it
// can't be read again.
boost::json::object event_summary(const feed::EventHead& head, const std::string& stream,
                                  const feed::Document* document, std::size_t item);
inline constexpr std::size_t summary_title_bytes_max = 1'000;

// The memory for a reply about so many items or events, as values and as text.
std::size_t reply_memory(const filter::Filter& filter, const broker::Annotator& annotator, std::size_t items);

}  // namespace sluice::server
