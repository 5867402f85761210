#include "protocol/feed/values/bound_variables.hpp"

#include <catch2/catch.hpp>

#include "tests/support/tree_document.hpp"

using namespace sluice::feed;

namespace {

Event titled(std::size_t letters) {
    return sluice::tree_event("<r><item><title>" + std::string(letters, 't') + "</title></item></r>", "//item");
}

}  // namespace

TEST_CASE("an event's variables are read once, and have a version of their own") {
    BoundVariables variables;
    const Event first = titled(10), second = titled(20);
    const std::uint64_t version = variables.of(first).version;
    CHECK(variables.of(first).bytes >= 10);
    CHECK(variables.of(second).bytes == variables.of(first).bytes + 10);
    CHECK(variables.of(second).version != version);
    CHECK(variables.of(first).version == version);  // kept
    Event elsewhere = first;
    elsewhere.stream = std::make_shared<const std::string>("elsewhere");
    CHECK(variables.of(elsewhere).version != version);
    variables.forget();
    CHECK(variables.bytes() == 0);
    CHECK(variables.of(first).version != version);
}

TEST_CASE("the memory of variables is bounded, but for the last event's") {
    BoundVariables variables;
    const Event first = titled(10), large = titled(BoundVariables::bytes_max);
    const std::uint64_t version = variables.of(first).version;
    CHECK(variables.of(large).bytes > BoundVariables::bytes_max);
    CHECK(variables.of(first).version == version);
    CHECK(variables.of(titled(20)).bytes >= 20);  // there is no room for one more
    CHECK(variables.bytes() < BoundVariables::bytes_max);
    CHECK(variables.of(first).version != version);
}
