#include "broker/core/subscriptions/stored_names.hpp"

#include <catch2/catch.hpp>

using namespace sluice::broker;

TEST_CASE("stored names: those of nobody are as they were before there were users") {
    CHECK(options_name({"", "work"}) == "subscription/options//work");
    CHECK(ledger_name({"", "work"}) == "subscription/ledger//work");
    CHECK(options_name({"alice", "work"}) == "subscription/options/alice/work");
}

TEST_CASE("stored names: are read as the keys that they were made of") {
    for (const SubscriptionKey& key : {SubscriptionKey{"", "work"}, {"alice", "work"}, {"a@b.c", "w-._"}}) {
        const std::string options = options_name(key), ledger = ledger_name(key);
        REQUIRE(options.starts_with(stored_options));
        REQUIRE(ledger.starts_with(stored_ledger));
        CHECK(stored_key(options.substr(stored_options.size())) == key);
        CHECK(stored_key(ledger.substr(stored_ledger.size())) == key);
    }
    for (const char* none : {"", "work", "/", "alice/"}) CHECK(stored_key(none) == std::nullopt);
}

TEST_CASE("the text of a key: differs where the keys do") {
    CHECK(SubscriptionKey{"", "work"}.text() == "work");
    CHECK(SubscriptionKey{"alice", "work"}.text() == "alice/work");
}
