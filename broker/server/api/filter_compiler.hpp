// Compiles the filters of one subscriber, for an event stream or a durable subscription.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/auth/scope.hpp"
#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/matching/subscription.hpp"
#include "broker/match/annotator.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/http/http_types.hpp"
#include "gpu/api/predicate.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::server {

// What a subscriber needs of its filters, or the reply that refuses them.
struct CompiledFilters {
    std::vector<broker::Subscription> subscriptions;  // one by filter; without filters, one to every event
    std::vector<std::string> filters;                 // as they were given
    std::unique_ptr<const broker::Annotator> annotator;
    std::vector<std::pair<std::uint32_t, std::string>> computed;  // Subscriber::computed
    bool is_costly = false;                                       // Subscriber::is_costly
    std::string notes;          // comments for the subscriber: hints, and leaves that no index decides
    base::MemoryCharge memory;  // while the filters are compiled and added
    std::size_t kept = 0;       // bytes of the subscriber with its filters and what the engine compiles, afterwards
    // The first filter that looks at what is beside the item, if any, and the part of it that does.
    struct Beside {
        std::size_t filter = 0;
        std::string part;
    };
    std::optional<Beside> beside;
    std::optional<HttpReply> refusal;
};

// Which annotations its events have: none, where a format has no place for them; of conditions that an estimate has
// decided; or also of alignments.
enum class Annotate : std::uint8_t { nothing, estimates, alignments };

// Compiles filters one after another. The limits bound the work, not a clock, so a busy machine refuses nothing: the
// filters are a part of a request, and have at most so many literals and computed conditions.
class FilterCompiler {
public:
    using Clock = std::chrono::steady_clock;

    FilterCompiler(std::vector<std::string> filters, auth::Scope scope, Annotate annotate, const Services& services);

    std::size_t next_bytes() const { return next_ == texts().size() ? 0 : texts()[next_].size(); }

    // Compiles at least one filter. Returns true when all are compiled, or the request is refused.
    bool compile_until(Clock::time_point enough);
    CompiledFilters take() { return std::move(compiled_); }

private:
    const std::vector<std::string>& texts() const { return compiled_.filters; }
    bool charge(std::size_t bytes);
    void compile(const std::string& text);
    bool add(const std::string& canonical, engine::Disjunction filter, std::size_t held);
    bool fits_scope(const engine::Disjunction& filter, const broker::SubscriptionSize& size);
    void finish();

    const auth::Scope scope_;
    const Annotate annotate_;
    const config::LimitOptions& limits_;
    CompiledFilters compiled_;
    std::size_t next_ = 0;                           // of texts()
    std::vector<std::vector<filter::Leaf>> leaves_;  // those that an operator computes
    std::size_t literals_ = 0, operators_ = 0;
};

// The reply to a filter of a user with row filters that looks beside the item: it would tell of items that the user may
// not see. `number`: of the filter; none: there is one only. No value: the scope permits the filter.
std::optional<HttpReply> refuse_beside(const filter::Filter& filter, const auth::Scope& scope,
                                       std::optional<std::size_t> number = std::nullopt);

// `scope` is not empty. Filters are refused as by refuse_beside(). Uses a worker for what takes long, piece by piece,
// so that the filters of others are compiled in between.
boost::asio::awaitable<CompiledFilters> compile_filters(Services& services, const HttpRequest& request,
                                                        std::vector<std::string> filters, auth::Scope scope,
                                                        Annotate annotate);

}  // namespace sluice::server
