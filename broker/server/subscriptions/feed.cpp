#include "broker/server/subscriptions/feed.hpp"

#include <utility>

#include "broker/auth/scope.hpp"
#include "broker/core/delivery/mailboxes.hpp"
#include "broker/server/api/add_subscriptions.hpp"
#include "broker/server/api/event_format.hpp"
#include "broker/server/api/filter_compiler.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/subscriptions/owner_rights.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;
using broker::DurableSubscription;

namespace {

// Abandons the plan unless the feed is set.
class Planned {
public:
    Planned(DurableSubscription& subscription, const DurableSubscription::FeedPlan& plan)
        : subscription_(subscription), plan_(plan) {}
    Planned(const Planned&) = delete;
    Planned& operator=(const Planned&) = delete;
    ~Planned() {
        if (feed != nullptr) subscription_.end_feed(feed);
        subscription_.abandon_feed(plan_);
    }

    std::shared_ptr<broker::Subscriber> feed;  // once it may have been added

private:
    DurableSubscription& subscription_;
    const DurableSubscription::FeedPlan& plan_;
};

}  // namespace

asio::awaitable<MadeFeed> make_feed(Services& services, const HttpRequest& request,
                                    broker::DurableSubscriptionPtr subscription) {
    MadeFeed made;
    const auto plan = subscription->plan_feed();
    if (!plan) co_return made;
    Planned planned(*subscription, *plan);
    const Annotate annotate = annotations_of({plan->format.framer, plan->format.has_alignments});
    // Looked up after the plan was made: if the rights change from now on, the plan gets out of date.
    const std::string& owner = subscription->owner();
    const auth::UserPtr account = owner.empty() ? plan->format.account : services.find_user(owner);
    const auth::Scope scope = subscription_scope(plan->options, *account);
    const text::StreamSelection streams(plan->options.streams);
    if (scope.is_empty() || !may_use(owner, streams, *account) || (owner.empty() && account->is_revoked)) {
        made.refusal = owner_may_not(owner, *account, "subscribe to any stream of this subscription");
        co_return made;
    }
    CompiledFilters compiled = co_await compile_filters(services, request, plan->options.filters, scope, annotate);
    if (compiled.refusal) {
        made.refusal = std::move(compiled.refusal);
        co_return made;
    }
    broker::SubscriberMemory memory;
    memory.filters = std::move(compiled.memory);
    memory.mailbox = services.memory.charge(base::MemoryUse::mailboxes, 0);
    memory.mailboxes = &services.mailboxes;
    const config::DeliveryOptions& delivery = services.options.delivery;
    auto wake = [weak = std::weak_ptr(subscription)] {
        if (const auto woken = weak.lock()) woken->wake_consumers();
    };
    const auto feed = std::make_shared<broker::Subscriber>(
        broker::MailboxLimits{delivery.queue_events, delivery.queue_bytes, true}, std::move(wake), *plan->format.framer,
        compiled.subscriptions.size() > 1, std::move(compiled.annotator), std::move(memory));
    feed->computed = std::move(compiled.computed);
    feed->filters = std::move(compiled.filters);
    feed->is_costly = compiled.is_costly;
    feed->select(scope);
    if (!feed->stream.empty()) feed->counts = services.counters.streams.of(feed->stream);
    made.is_late = !subscription->prepare_feed(*plan, *feed);
    if (made.is_late) co_return made;
    planned.feed = feed;
    made.refusal = co_await add_subscriptions(services, feed, std::move(compiled.subscriptions));
    if (made.refusal) co_return made;
    feed->filter_memory.force_resize(compiled.kept);
    made.is_late = !subscription->set_feed(*plan, feed);
    if (made.is_late) co_return made;
    planned.feed = nullptr;
    made.is_made = true;
    co_return made;
}

}  // namespace sluice::server
