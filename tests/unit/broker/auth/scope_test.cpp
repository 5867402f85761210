#include "broker/auth/scope.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "protocol/filter/filter.hpp"

using sluice::auth::ReadGrant;
using sluice::auth::Rights;
using sluice::auth::RowFilter;
using sluice::auth::Scope;
using sluice::text::StreamSelection;

namespace {

StreamSelection selected(const std::vector<std::string>& patterns) { return StreamSelection(patterns); }

std::shared_ptr<const RowFilter> row_filter(const std::string& text) {
    auto filter = sluice::filter::compile_filter(text).value();
    return std::make_shared<const RowFilter>(RowFilter{text, filter.canonical, std::move(filter.disjunction)});
}

Rights reader(std::vector<ReadGrant> grants) { return Rights{.subscribe = std::move(grants)}; }

}  // namespace

TEST_CASE("a scope has the streams that are both asked for and granted") {
    const Rights rights = reader({{selected({"a", "news.*"})}});
    CHECK(Scope(selected({"*"}), rights).streams() == selected({"a", "news.*"}));
    CHECK(Scope(selected({"a", "b"}), rights).streams() == selected({"a"}));
    CHECK(Scope(selected({"news.en"}), rights).streams() == selected({"news.en"}));
    CHECK(Scope(selected({"news.en.*"}), rights).streams() == selected({"news.en.*"}));
    CHECK(Scope(selected({"b"}), rights).is_empty());
    CHECK(Scope(selected({"news"}), rights).is_empty());
    CHECK(Scope(selected({"newsletter"}), rights).is_empty());
    CHECK(Scope(selected({"*"}), Rights{}).is_empty());
    CHECK_FALSE(Scope(selected({"*"}), rights).is_everything());
    CHECK(Scope(selected({"*"}), Rights::everything()) == Scope());
    CHECK(Scope().is_everything());
}

TEST_CASE("a stream that is granted without a row filter is not filtered, whatever else is granted") {
    const Rights rights = reader({{selected({"*"}), row_filter("title = 'x'")}, {selected({"a"})}});
    const Scope all(selected({"*"}), rights);
    CHECK(all.is_filtered());
    CHECK(all.permits_all_of("a"));
    CHECK_FALSE(all.permits_all_of("b"));
    CHECK_FALSE(Scope(selected({"a"}), rights).is_filtered());
    CHECK(Scope(selected({"b"}), rights).is_filtered());
}

TEST_CASE("row filters that mean the same are one part of a scope") {
    const Rights rights = reader({{selected({"a"}), row_filter("title='x'")},
                                  {selected({"b"}), row_filter("title = 'x'")},
                                  {selected({"a"}), row_filter("title = 'y'")}});
    const Scope scope(selected({"*"}), rights);
    REQUIRE(scope.parts().size() == 2);
    CHECK(scope.parts()[0].streams == selected({"a", "b"}));
    CHECK(scope.parts()[1].streams == selected({"a"}));
}
