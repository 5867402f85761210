#include "tests/bench/baselines/live_rows.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "gpu/cuda/clusters/cluster_match.hpp"
#include "tests/bench/baselines/version_gate.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/cuda/random_rows.hpp"

using namespace sluice::bench;
using namespace sluice::cuda;
using namespace sluice::testing;

TEST_CASE("rows are inserted and removed in place, and a batch sees one version", "[cuda]") {
    if (!sluice::testing::has_device()) return;
    for (std::uint32_t round = 0; round < sluice::testing::rounds(3); ++round) {
        CAPTURE(round);
        Random random(300 + round);
        const std::uint32_t literals = round % 2 == 0 ? 300 : 70000;
        const Masks masks(random, literals, 2);
        std::vector<Row> rows;
        for (std::uint32_t i = 0; i < 3000; ++i) rows.push_back(random_row(random, literals, i));
        LiveRows live(views(rows), literals, 5);
        std::vector<std::uint32_t> slots;
        for (std::size_t i = 0; i < rows.size(); ++i) slots.push_back(live.slot(i));

        constexpr std::size_t readers = 3, versions = 30;
        VersionGate gate(readers);
        std::vector<Stream> streams(readers);
        const Stream writer;
        std::vector<List> lists;
        std::vector<Hits> expected;
        std::uint32_t next = 3000, inserted = 0;
        for (std::size_t version = 0; version < versions; ++version) {
            for (std::uint32_t change = random.below(60); change > 0; --change) {
                if (random.chance(0.5) && !rows.empty()) {
                    const std::uint32_t i = random.below(static_cast<std::uint32_t>(rows.size()));
                    live.remove(slots[i]);
                    rows[i] = rows.back();
                    slots[i] = slots.back();
                    rows.pop_back();
                    slots.pop_back();
                } else {
                    const Row row = random_row(random, literals, next++);
                    if (const auto slot = live.insert(row.view())) {
                        rows.push_back(row);
                        slots.push_back(*slot);
                        ++inserted;
                    }
                }
            }
            live.stage(writer);
            gate.begin_write(writer);
            live.apply(writer);
            gate.end_write(writer);
            for (std::size_t i = 0; i < readers; ++i) {
                lists.emplace_back(10000);
                expected.push_back(expected_hits(rows, masks));
                gate.begin_read(streams[i]);
                match_clusters(live.view(), masks.view(), 2, lists.back().view(), streams[i], {});
                gate.end_read(i, streams[i]);
            }
        }
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        CHECK(inserted > 100);
        for (std::size_t i = 0; i < lists.size(); ++i) CHECK(lists[i].hits() == expected[i]);
    }
}

TEST_CASE("a full cluster takes no row", "[cuda]") {
    if (!sluice::testing::has_device()) return;
    const std::vector<Row> rows(512, Row{1, {2, 3}});
    LiveRows live(views(rows), 5, 0);
    CHECK(live.free_rows(2) == 0);
    CHECK_FALSE(live.insert(rows[0].view()).has_value());
    CHECK_FALSE(live.insert(Row{1, {2, 3, 4}}.view()).has_value());
    live.remove(live.slot(5));
    CHECK(live.free_rows(2) == 0);  // not before the removal is staged
    const Stream stream;
    live.stage(stream);
    live.apply(stream);
    CHECK(live.insert(rows[0].view()) == live.slot(5));
    stream.wait();
}
