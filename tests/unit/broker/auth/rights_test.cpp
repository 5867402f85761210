#include "broker/auth/rights.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

using sluice::auth::ReadGrant;
using sluice::auth::Rights;
using sluice::auth::RowFilter;
using sluice::text::StreamSelection;

namespace {

StreamSelection chosen(const std::vector<std::string>& patterns) { return StreamSelection(patterns); }

}  // namespace

TEST_CASE("without rights nothing is permitted") {
    const Rights none;
    CHECK_FALSE(none.may_publish("a"));
    CHECK_FALSE(none.may_manage("a"));
    CHECK_FALSE(none.may_subscribe("a"));
    CHECK_FALSE(none.may_see("a"));
    CHECK_FALSE(none.may_see_figures("a"));
    CHECK_FALSE(none.sees_everything());
}

TEST_CASE("the name of a stream is for whoever may do anything with it, its figures for those who see all its events") {
    const auto rows = std::make_shared<const RowFilter>(RowFilter{"title", "title", {}});
    const Rights publisher{.publish = chosen({"a"})}, manager{.manage = chosen({"a"})}, operates{.operate = true};
    const Rights reader{.subscribe = {{chosen({"a"})}}}, some_rows{.subscribe = {{chosen({"a"}), rows}}};
    for (const Rights* rights : {&publisher, &manager, &reader, &some_rows}) {
        CHECK(rights->may_see("a"));
        CHECK_FALSE(rights->may_see("b"));
        CHECK_FALSE(rights->may_see_figures("b"));
    }
    CHECK(operates.may_see("b"));
    CHECK(operates.may_see_figures("b"));
    CHECK_FALSE(operates.may_subscribe("b"));
    CHECK(manager.may_see_figures("a"));
    CHECK(reader.may_see_figures("a"));
    CHECK_FALSE(publisher.may_see_figures("a"));
    CHECK_FALSE(some_rows.may_see_figures("a"));
}

TEST_CASE("only a grant of all streams without a row filter sees everything") {
    const auto rows = std::make_shared<const RowFilter>(RowFilter{"title", "title", {}});
    CHECK(Rights::everything().sees_everything());
    CHECK(Rights{.subscribe = {{chosen({"*"})}}}.sees_everything());
    CHECK_FALSE(Rights{.subscribe = {{chosen({"*"}), rows}}}.sees_everything());
    CHECK_FALSE(Rights{.subscribe = {{chosen({"a", "b.*"})}}}.sees_everything());
    CHECK_FALSE(Rights{.operate = true}.sees_everything());
}
