#include "gpu/tables/name_table.hpp"

#include <catch2/catch.hpp>

TEST_CASE("name table: ids are dense and stay, snapshots do not change") {
    sluice::engine::NameTable names;
    const auto empty = names.snapshot();
    CHECK(names.intern("a") == 0);
    CHECK(names.intern("b") == 1);
    CHECK(names.intern("a") == 0);
    const auto two = names.snapshot();
    CHECK(empty->names.empty());
    CHECK(two->names == std::vector<std::string>{"a", "b"});
    CHECK(names.snapshot() == two);
    names.intern("c");
    CHECK(names.snapshot() != two);
    CHECK(names.snapshot()->epoch == two->epoch);
}
