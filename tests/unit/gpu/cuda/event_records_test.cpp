#include "gpu/cuda/event_records.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <string>

namespace sluice::cuda {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Packed {
    std::vector<std::uint32_t> first;
    std::vector<EventRecord> records;
    std::vector<std::uint64_t> text;

    std::string text_of(const EventRecord& r) const {
        return {reinterpret_cast<const char*>(text.data() + r.offset), r.size};
    }
};

Packed pack(const engine::EventBatch& batch, const std::vector<AttributeNeeds>& needs) {
    const std::span<const AttributeNeeds> list(needs);
    const PackPlan plan(std::span(&list, 1));
    const PackedSize bound = packed_bound(batch, plan);
    Packed p{std::vector<std::uint32_t>(batch.size() + 1), std::vector<EventRecord>(bound.records),
             std::vector<std::uint64_t>(bound.text_words)};
    const PackedSize size = pack(batch, plan, {p.first.data(), p.records.data(), p.text.data()});
    REQUIRE(size.records <= bound.records);
    REQUIRE(size.text_words <= bound.text_words);
    CHECK(p.first.back() == size.records);
    p.records.resize(size.records);
    return p;
}

AttributeNeeds everything() { return {AttributeNeeds::all, true, true, true, true}; }

}  // namespace

TEST_CASE("a batch packed in parts, past the caches, is the batch packed at once") {
    std::string all;
    for (std::size_t i = 0; all.size() < 100'000; ++i) all += std::to_string(i * i) + " ";
    engine::EventBatch batch;
    for (std::size_t e = 0; e < 50; ++e) {
        for (std::size_t v = 0; v < e % 4; ++v)
            batch.values.push_back({0, std::string_view(all).substr(97 * e, (e * 631 + v) % 5000), nan});
        batch.end_event();
    }
    const Packed whole = pack(batch, {everything()});
    const std::vector<AttributeNeeds> needs{everything()};
    const std::span<const AttributeNeeds> list(needs);
    const PackPlan plan(std::span(&list, 1));
    Packed parts{std::vector<std::uint32_t>(whole.first.size()),
                 std::vector<EventRecord>(packed_bound(batch, plan).records),
                 std::vector<std::uint64_t>(whole.text.size())};
    PackedSize size;
    std::size_t count = 0;
    for (std::size_t begin = 0, end = 0; begin < batch.size(); begin = end, ++count) {
        const std::size_t words = size.text_words;
        end = pack_part(batch, plan, {parts.first.data(), parts.records.data(), parts.text.data(), true}, begin,
                        {3, 1000}, size);
        CHECK(end > begin);
        if (end < batch.size()) CHECK((end - begin >= 3 && size.text_words - words >= 1000));
        CHECK(parts.first[end] == size.records);
    }
    CHECK(count > 5);
    CHECK(parts.first == whole.first);
    CHECK(size.records == whole.records.size());
    for (std::size_t r = 0; r < size.records; ++r) {
        CHECK(parts.records[r].uses == whole.records[r].uses);
        CHECK(parts.text_of(parts.records[r]) == whole.text_of(whole.records[r]));
    }
}

TEST_CASE("each event gets a copy of what it shares, unless that is much") {
    const std::vector<engine::Value> shared = {{0, "a", 1}, {0, "b", 2}};
    engine::EventBatch batch;
    batch.groups = {{1, shared}};
    for (const bool shares : {true, false, true}) {
        batch.values.push_back({1, "own", nan});
        if (shares) batch.shares.push_back(0);
        batch.end_event();
    }
    const Packed p = pack(batch, {everything(), everything()});
    CHECK(p.first == std::vector<std::uint32_t>{0, 4, 5, 9});
    for (const std::size_t at : {5u, 6u, 7u}) CHECK(p.records[at].uses == p.records[at - 5].uses);
    CHECK(p.text_of(p.records[6]) == "a");
    CHECK(p.text_of(p.records[7]) == "b");
    CHECK(p.records[8].uses == EventRecord::range);
    CHECK(is_worth_packing(batch));
    CHECK(is_worth_packing(engine::EventBatch{}));

    const std::string text(shared_bytes_max / 2, 'x');
    const std::vector<engine::Value> large = {{0, text, nan}};
    batch.groups = {{2, large}};
    CHECK_FALSE(is_worth_packing(batch));
    const std::vector<engine::Value> many(shared_bytes_max / sizeof(EventRecord), {0, "", nan});
    batch.groups = {{3, many}};
    CHECK_FALSE(is_worth_packing(batch));
}

TEST_CASE("a batch is packed as it is: texts padded, values that nobody wants left out") {
    engine::EventBatch batch;
    batch.values = {{0, "", nan}, {1, "nine bytes", 4}, {2, "ignored", 1}};
    batch.end_event();
    batch.end_event();
    batch.values.push_back({3, "12345678", 12345678});
    batch.end_event();
    const Packed p = pack(batch, {everything(), everything(), {}, everything()});
    CHECK(p.first == std::vector<std::uint32_t>{0, 2, 2, 3});
    REQUIRE(p.records.size() == 3);
    CHECK(p.records[0].uses == (EventRecord::begins | EventRecord::look_up_text | EventRecord::only_text));
    CHECK(p.records[0].size == 0);
    CHECK(p.records[1].uses == 63);
    CHECK(p.text_of(p.records[1]) == "nine bytes");
    CHECK(p.text[p.records[1].offset + 1] >> 16 == 0);
    CHECK(p.records[2].attribute == 3);
    CHECK(p.text_of(p.records[2]) == "12345678");
}

TEST_CASE("several values of an attribute: which are alike, and the least and greatest number") {
    engine::EventBatch batch;
    batch.values = {{0, "a", 3}, {0, "a", nan}, {0, "a", -1}, {1, "x", 2}, {1, "y", 2}};
    batch.end_event();
    const Packed p = pack(batch, {everything(), everything()});
    REQUIRE(p.records.size() == 7);
    CHECK(p.records[0].uses ==
          (EventRecord::begins | EventRecord::look_up_text | EventRecord::look_up_number | EventRecord::only_text));
    CHECK(p.records[1].uses == EventRecord::look_up_text);
    const EventRecord& range = p.records[3];
    CHECK(range.uses == EventRecord::range);
    CHECK(range.number == -1);
    CHECK(std::bit_cast<double>(std::uint64_t{range.size} << 32 | range.offset) == 3);
    CHECK(p.records[4].uses ==
          (EventRecord::begins | EventRecord::look_up_text | EventRecord::look_up_number | EventRecord::only_number));
    CHECK(p.records[6].number == 2);
}

TEST_CASE("texts longer than any operand stay behind") {
    AttributeNeeds needs;
    needs.known = needs.text = true;
    needs.text_bytes_max = 4;
    engine::EventBatch batch;
    batch.values = {{0, "four", nan}, {0, "fives", 1}};
    batch.end_event();
    batch.values.push_back({0, std::string_view("fives"), 1});
    batch.end_event();
    const Packed p = pack(batch, {needs});
    REQUIRE(p.records.size() == 2);
    CHECK(p.records[0].uses == (EventRecord::begins | EventRecord::look_up_text));
    CHECK(p.records[1].uses == EventRecord::begins);
}

TEST_CASE("what several segments want is packed once") {
    std::vector<AttributeNeeds> a(1), b(2);
    a[0].known = a[0].number = true;
    b[0].known = b[0].text = true;
    b[0].text_bytes_max = 9;
    b[1].known = true;
    engine::EventBatch batch;
    batch.values = {{0, "7", 7}, {1, "z", nan}, {2, "z", nan}};
    batch.end_event();
    const std::span<const AttributeNeeds> lists[] = {a, b};
    std::uint32_t first[2];
    EventRecord records[6];
    std::uint64_t text[3];
    const PackedSize size = pack(batch, PackPlan(lists), {first, records, text});
    REQUIRE(size.records == 2);
    CHECK(records[0].uses == (EventRecord::begins | EventRecord::look_up_text | EventRecord::look_up_number |
                              EventRecord::only_text | EventRecord::only_number));
    CHECK(records[1].uses == EventRecord::begins);
}

}  // namespace sluice::cuda
