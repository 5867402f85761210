#include "broker/store/rocks/database/table_use.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace sluice::store;

namespace {

struct Entry {
    std::uint32_t stream = 0;
    std::uint64_t position = 0, bytes = 0;
};

using Below = std::map<std::uint32_t, std::uint64_t>;  // by stream; of others nothing is dead

TableUse count(const std::vector<Entry>& entries, std::size_t streams_max = 1'000) {
    TableUseCounter counter;
    for (const Entry& entry : entries) counter.add(entry.stream, entry.position, entry.bytes);
    return counter.count(streams_max);
}

std::uint64_t dead_bytes_of(const TableUse& use, const Below& below) {
    const auto of = [&](std::uint32_t stream) {
        const auto found = below.find(stream);
        return found == below.end() ? 0 : found->second;
    };
    const auto of_all_to = [&](std::uint32_t stream) {
        std::uint64_t least = below.empty() || below.rbegin()->first < stream ? 0 : below.begin()->second;
        for (const auto& [number, each] : below) least = std::min(least, each);
        return least;
    };
    return dead_bytes(use, {of, of_all_to});
}

}  // namespace

TEST_CASE("TableUse: what was counted is told by stream, and the least of many streams together") {
    const std::vector<Entry> entries{{7, 10, 100}, {2, 5, 1}, {7, 30, 50}, {9, 1, 2}, {2, 6, 3}, {9, 99, 1}};
    CHECK(count(entries) == TableUse{0, {{2, 4, 5, 6}, {7, 150, 10, 30}, {9, 3, 1, 99}}, {}});
    CHECK(count(entries, 1) == TableUse{0, {{7, 150, 10, 30}}, {9, 7, 1, 99}});
    CHECK(count(entries, 0).others == StreamUse{9, 157, 1, 99});
    CHECK(count(entries, 2).bytes() == 157);
    CHECK(count({}) == TableUse{});
    TableUseCounter counter;
    counter.add_lasting(5);
    counter.add(1, 1, 2);
    CHECK(counter.count(9).bytes() == 7);
    CHECK(dead_bytes_of(counter.count(9), {{1, 100}}) == 2);
}

TEST_CASE("TableUse: encoded and decoded → the same, or nothing if a byte is wrong or missing") {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    std::mt19937_64 random(1);
    for (int round = 0; round < 2'000; ++round) {
        TableUseCounter counter;
        counter.add_lasting(random() % 1'000);
        const auto n = random() % 40;
        for (std::uint64_t i = 0; i < n; ++i)
            counter.add(static_cast<std::uint32_t>(random() >> random() % 64), random() >> random() % 64,
                        1 + random() % 5'000);
        const TableUse use = counter.count(random() % 40);
        std::string bytes = encode(use);
        CHECK(decode_table_use(bytes) == use);
        std::string cut = bytes;
        cut.resize(random() % bytes.size());
        CHECK_FALSE(decode_table_use(cut));
        char& byte = bytes[random() % bytes.size()];
        byte = static_cast<char>(byte ^ (1 << random() % 8));
        CHECK_FALSE(decode_table_use(bytes));
    }
    const TableUse extreme{most, {{~std::uint32_t{0}, most, 0, most}}, {}};
    CHECK(decode_table_use(encode(extreme)) == extreme);
    CHECK_FALSE(decode_table_use(""));
    CHECK_FALSE(decode_table_use(std::string("\2", 1) + encode(extreme).substr(1)));
    CHECK_FALSE(decode_table_use(encode(extreme).substr(0, 5)));
}

// Against a sum over all entries.
TEST_CASE("TableUse: random tables → dead bytes are exact at both ends, and between them never beyond one stream's") {
    std::mt19937 random(2);
    const auto any = [&](std::uint64_t n) { return random() % n; };
    for (int round = 0; round < 3'000; ++round) {
        const std::uint32_t streams = static_cast<std::uint32_t>(1 + any(12));
        std::vector<Entry> entries;
        for (std::uint64_t i = 0, n = 1 + any(60); i < n; ++i)
            entries.push_back({static_cast<std::uint32_t>(any(streams)), any(100), 1 + any(1'000)});
        Below below;
        for (std::uint32_t stream = 0; stream < streams; ++stream)
            below[stream] = any(3) == 0 ? 0 : any(3) == 0 ? 101 : any(101);
        std::uint64_t all = 0, dead = 0, in_doubt = 0;  // of streams of which some is dead
        std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> by_stream;
        for (const Entry& entry : entries) {
            const bool is_dead = entry.position < below[entry.stream];
            all += entry.bytes;
            dead += is_dead ? entry.bytes : 0;
            by_stream[entry.stream].first += entry.bytes;
            by_stream[entry.stream].second += is_dead ? entry.bytes : 0;
        }
        for (const auto& [stream, sums] : by_stream)
            if (sums.second != 0 && sums.second != sums.first) in_doubt += sums.first;
        const std::uint64_t told = dead_bytes_of(count(entries), below);
        CHECK((told == all) == (dead == all));
        if (dead == 0) CHECK(told == 0);
        CHECK(told <= dead + in_doubt);
        CHECK(dead <= told + in_doubt);
        // Together with others less may be told, but nothing that is not dead, and all if they are all dead.
        const std::uint64_t of_few = dead_bytes_of(count(entries, any(4)), below);
        CHECK(of_few <= dead + in_doubt);
        if (of_few == all) CHECK(dead == all);
        for (auto& [stream, each] : below) each = 101;
        CHECK(dead_bytes_of(count(entries, any(4)), below) == all);
    }
    // Spread evenly, it is nearly right.
    std::vector<Entry> even;
    for (std::uint64_t i = 0; i < 1'000; ++i) even.push_back({1, i, 10});
    for (const std::uint64_t below : {100u, 500u, 900u})
        CHECK(dead_bytes_of(count(even), {{1, below}}) == Approx(10. * static_cast<double>(below)).epsilon(.01));
}
