// What sluice store stat says of a store.
#include "broker/store/offline/store_figures.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/broker/store/offline/offline_fixture.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

const PartFigures& part_of(const StoreFigures& figures, const std::string& name) {
    for (const PartFigures& part : figures.parts)
        if (part.name == name) return part;
    throw std::runtime_error("there is no part " + name);
}

}  // namespace

TEST_CASE_METHOD(OfflineFixture, "figures_of_store: streams, parts and ids, and nothing changes") {
    fill();
    const auto before = contents();
    const StoreFigures figures = figures_of_store(settings.path, true);
    CHECK(contents() == before);
    CHECK_FALSE(figures.user);
    REQUIRE(figures.streams.size() == 3);
    const StreamFigures &of_empty = figures.streams[0], &of_news = figures.streams[1], &of_old = figures.streams[2];
    CHECK(of_empty.name == "empty");
    CHECK((of_empty.extent.events == 0 && of_empty.is_defined && of_empty.identities == 0u));
    CHECK((of_news.extent.events == news && of_news.is_defined && of_news.identities == identities));
    CHECK((of_old.extent.events == old && !of_old.is_defined && of_old.identities == 0u));
    CHECK(figures.last_id == of_news.extent.last_id);
    CHECK(figures.ids_end >= figures.last_id);
    CHECK(part_of(figures, "events").files > 0);
    CHECK(part_of(figures, "log").bytes > 0);
    CHECK_FALSE(figures_of_store(settings.path, false).streams[0].identities);
}

TEST_CASE_METHOD(OfflineFixture, "figures_of_store: events that are no longer retained are dead bytes") {
    for (std::size_t i = 0; i < 50; ++i) append("s", 1, 10'000);
    restart();  // which flushes
    log.reset();
    const StoreFigures whole = figures_of_store(settings.path, false);
    open();
    Retention retention;
    retention.events = 30;  // less than half is dead, so it stays
    log->retain("s", retention);
    EVENTUALLY(log->extent("s").events == 30);
    log.reset();
    const StoreFigures less = figures_of_store(settings.path, false);
    const std::uint64_t bytes = part_of(less, "events").bytes;
    CHECK(whole.dead_bytes == 0);
    CHECK(less.dead_bytes > bytes / 4);
    CHECK(less.dead_bytes < bytes / 2);
}

TEST_CASE_METHOD(OfflineFixture, "figures_of_store: of a store that is open") {
    append("s", 3);
    const StoreFigures figures = figures_of_store(settings.path, false);
    CHECK(figures.epoch == log->epoch());
    CHECK(figures.last_id == 3);
    append("s", 1);
    CHECK(figures_of_store(settings.path, false).last_id == 4);
}
