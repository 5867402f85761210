// Several load tests at a time, one thread each, for a broker that one thread cannot keep busy: each has its share of
// the filters, connections and items, and its own stream if there are several. Belongs to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tests/bench/load/load_test.hpp"

namespace sluice::load {

class LoadFleet {
public:
    // Connects and subscribes; throws std::runtime_error, also if a thread would have no connection.
    LoadFleet(const LoadOptions& options, std::size_t threads);

    // As LoadTest::run, with `rate` for all of them together.
    LoadResult run(double rate, double seconds);

private:
    std::vector<std::unique_ptr<LoadTest>> tests_;
};

}  // namespace sluice::load
