#include "protocol/filter/evaluator/name_table.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace sluice::xpath;

TEST_CASE("names are numbered in the order in which they are met, also in a table that is used again") {
    std::vector<std::string> names;
    for (int i = 0; i < 1000; ++i) names.push_back("n" + std::to_string(i * 7919 % 1000));
    NameTable table;
    CHECK(table.find("n0") == no_name);
    for (int round = 0; round < 2; ++round) {
        for (int again = 0; again < 2; ++again)
            for (std::uint32_t i = 0; i < names.size(); ++i) REQUIRE(table.intern(names[i]) == i);
        for (std::uint32_t i = 0; i < names.size(); ++i) {
            REQUIRE(table.find(names[i]) == i);
            REQUIRE(table.text(i) == names[i]);
        }
        CHECK(table.find("n1000") == no_name);
        const std::size_t bytes = table.bytes();
        table.clear();
        CHECK(table.bytes() == bytes);
        CHECK(table.find("n0") == no_name);
    }
    CHECK(table.intern("n5") == 0);
}

TEST_CASE("a name may be empty or share all that the short memory looks at") {
    NameTable table;
    CHECK(table.intern("") == 0);
    CHECK(table.intern("axbc") == 1);
    CHECK(table.intern("aybc") == 2);
    CHECK(table.intern("axbc") == 1);
    CHECK(table.intern("") == 0);
}
