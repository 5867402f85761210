#include "protocol/filter/evaluator/node_set.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace sluice::xpath;

TEST_CASE("lists of nodes become sets, however long and however far apart") {
    std::mt19937 random(5);
    Meter meter;
    for (const std::size_t size : {0u, 1u, 2u, 50u, 1000u, 40'000u, 200'000u}) {
        for (const Node range : {3u, 1000u, 3'000'000u}) {
            NodeSet nodes;
            for (std::size_t i = 0; i < size; ++i) nodes.push_back(7 + static_cast<Node>(random() % range));
            std::vector<Node> expected(nodes.begin(), nodes.end());
            std::sort(expected.begin(), expected.end());
            expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
            sort_nodes(nodes, meter);
            CHECK(std::equal(nodes.begin(), nodes.end(), expected.begin(), expected.end()));
        }
    }
}
