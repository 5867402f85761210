#include "broker/core/matching/subscription.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "protocol/filter/filter.hpp"

namespace engine = sluice::engine;
using sluice::auth::Scope;
using sluice::broker::make_subscription;
using sluice::broker::size_of;
using sluice::broker::Subscription;
using sluice::text::StreamSelection;

namespace {

Scope streams_of(const std::vector<std::string>& patterns) { return Scope(StreamSelection(patterns)); }

Subscription subscription_on(const std::vector<std::string>& patterns, const std::string& text) {
    auto filter = sluice::filter::compile_filter(text).value();
    return make_subscription(streams_of(patterns), filter.canonical, std::move(filter.disjunction));
}

}  // namespace

TEST_CASE("a subscription has each conjunction of its filter once for each name and prefix of its streams") {
    const std::string filter = "title = 'x' or category = 'y' and not(author = 'z')";
    for (const auto& [patterns, each, literals] :
         {std::tuple{std::vector<std::string>{"*"}, 1u, 3u}, {{"a"}, 1u, 5u}, {{"a", "b", "news.*"}, 3u, 15u}}) {
        const auto size = size_of(streams_of(patterns), sluice::filter::compile_filter(filter).value().disjunction);
        CHECK(size.conjunctions == 2 * each);
        CHECK(size.literals == 3 * each);
        const Subscription made = subscription_on(patterns, filter);
        CHECK(made.disjunction.conjunctions.size() == 2 * each);
        std::size_t found = 0;
        for (const engine::Conjunction& conjunction : made.disjunction.conjunctions) found += conjunction.size();
        CHECK(found == literals);
    }
    const Subscription shares = subscription_on({"a", "b"}, "$stream = 'b' and title = 'x'");
    CHECK(shares.disjunction.predicates.size() == 3);
    CHECK(subscription_on({"a", "b"}, "false()").disjunction.conjunctions.empty());
}

TEST_CASE("subscriptions to different streams have different keys, and to the same ones equal keys") {
    std::set<std::string> keys;
    for (const std::vector<std::string>& patterns : {std::vector<std::string>{"*"},
                                                     {"a"},
                                                     {"b"},
                                                     {"a", "b"},
                                                     {"a.*"},
                                                     {"a."},
                                                     {"a", "b.*"},
                                                     {"a.*", "b"},
                                                     {"a.b"}})
        CHECK(keys.insert(subscription_on(patterns, "title = 'x'").key).second);
    CHECK(subscription_on({"a", "b.*"}, "title = 'x'").key == subscription_on({"b.*", "a", "b.c"}, "title='x'").key);
}
