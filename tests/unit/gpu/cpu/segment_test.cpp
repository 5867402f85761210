// A segment that is too large for Scratch::last_match gives the same matches: here the limit is set to 0.
#include "gpu/cpu/segment/segment.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "gpu/cpu/segment/segment_builder.hpp"
#include "gpu/tables/term.hpp"
#include "tests/differential/matcher_random.hpp"
#include "tests/support/written_filter.hpp"

using namespace sluice;
using sluice::test::Random;
using sluice::test::RandomEvent;

namespace {

// The same random subscriptions in one segment, which some have left since, and in a naive set.
struct Filters {
    std::unique_ptr<engine::SubscriptionSet> naive = engine::make_subscription_set(engine::Backend::naive);
    engine::NameTable attributes, scanned;
    std::shared_ptr<const cpu::Segment> segment;
    cpu::Bitmap removed;

    Filters(const test::World& world, Random& random, std::size_t count) {
        cpu::SegmentBuilder builder;
        std::vector<engine::SubscriptionId> ids;
        for (std::size_t i = 0; i < count; ++i) {
            const engine::Disjunction filter = testing::disjunction_of(test::random_filter(world, random));
            ids.push_back(naive->add(filter));
            builder.add(ids.back(), engine::normalise(filter), attributes, scanned);
        }
        segment = builder.build();
        removed = cpu::Bitmap(segment->size());
        for (const engine::SubscriptionId id : ids) {
            if (!random.chance(0.1)) continue;
            naive->remove(id);
            removed.set(segment->find(id));
        }
    }
};

enum class How { match, finish };

class OneSegment final : public engine::Program {
public:
    OneSegment(Filters& filters, How how, std::size_t last_match_max, double unknown_share = 0)
        : filters_(filters),
          how_(how),
          unknown_share_(unknown_share),
          attributes_(filters.attributes.snapshot()),
          scanned_(filters.scanned.snapshot()) {
        scratch_.last_match_max = last_match_max;
    }

    const std::shared_ptr<const engine::Dictionary>& attributes() const override { return attributes_; }
    const std::shared_ptr<const engine::Dictionary>& scanned() const override { return scanned_; }
    void match(const engine::EventBatch& whole, std::vector<engine::Match>& matches) const override {
        engine::EventBatch batch = whole;
        test::forget_some(*this, unknown_share_, 1, batch);
        cpu::ScanCache::Memory memory;
        cpu::ScanCache scans(batch, memory);
        if (how_ == How::match) {
            filters_.segment->match(batch, &filters_.removed, scans, scratch_, matches);
        } else {
            std::vector<cpu::FoundRow> found;  // as if every event were too large for a device
            for (std::uint32_t e = 0; e < batch.size(); ++e) found.push_back({0, e | cpu::FoundRow::unmatched});
            filters_.segment->finish(batch, &filters_.removed, found, std::nullopt, scans, scratch_, matches);
        }
        scratch_.shared.end_batch();
        last_match_size_ = scratch_.last_match.size();
    }

    std::size_t last_match_size() const { return last_match_size_; }

private:
    Filters& filters_;
    const How how_;
    const double unknown_share_;
    const std::shared_ptr<const engine::Dictionary> attributes_, scanned_;
    mutable cpu::Segment::Scratch scratch_;
    mutable std::size_t last_match_size_ = 0;
};

}  // namespace

TEST_CASE("segments beyond the limit of last_match have the same matches, and take no memory for it") {
    Random random(1);
    std::size_t matches = 0;
    for (int round = 0; round < 20; ++round) {
        test::World world;
        world.measured_share = random.of<double>({0, 0.2});
        world.attributes = random.of<std::size_t>({2, 6});
        Filters filters(world, random, random.of<std::size_t>({1, 30, 300}));
        std::vector<RandomEvent> events(random.of<std::size_t>({1, 40, 200}));
        for (RandomEvent& event : events) event = test::random_event(world, random);
        const test::Answers naive = test::accepted(test::answers(*filters.naive->compile(), events));
        matches += naive.size();
        for (const How how : {How::match, How::finish}) {
            const OneSegment small(filters, how, filters.segment->size()), large(filters, how, 0);
            const test::Answers expected = test::answers(small, events);
            REQUIRE(test::accepted(expected) == naive);
            CHECK(small.last_match_size() == filters.segment->size());
            REQUIRE(test::answers(large, events) == expected);
            REQUIRE(test::answers(large, events) == expected);  // with the scratch of a batch before
            CHECK(large.last_match_size() == 0);
        }
        const OneSegment small(filters, How::match, filters.segment->size(), 0.3);
        const OneSegment large(filters, How::match, 0, 0.3);
        REQUIRE(test::answers(large, events) == test::answers(small, events));
    }
    CHECK(matches > 500);
}
