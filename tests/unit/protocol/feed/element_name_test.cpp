#include "protocol/feed/element_name.hpp"

#include <catch2/catch.hpp>

using sluice::feed::element_name;

TEST_CASE("keys that are names stay, others become names") {
    for (const char* name : {"a", "A-1.b", "_", "dc:date", "\xC3\xA9t\xC3\xA9"}) CHECK(element_name(name) == name);
    CHECK(element_name("") == "_");
    CHECK(element_name("2x") == "_2x");
    CHECK(element_name("my key") == "my_key");
    CHECK(element_name("a:b:c") == "a:b_c");
    CHECK(element_name(":a") == "_a");
    CHECK(element_name("a:1") == "a_1");
    CHECK(element_name("$ref/x") == "_ref_x");
}
