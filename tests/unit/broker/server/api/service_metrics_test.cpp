#include "broker/server/api/service_metrics.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/counters.hpp"
#include "broker/server/api/services.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;

namespace {

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
    return text;
}

// The line that broker/metrics.md must have for a family.
std::string line_of(const base::MetricFamily& family) {
    const std::string labels = family.labels.empty() ? "" : " `" + joined(family.labels, "`, `") + "`";
    return "| `" + family.name + "` | " + std::string(name_of(family.type)) + " |" + labels + " | " + family.help +
           " | `" + joined(family.status, ".") + "` |";
}

std::set<std::string> lines_of_page() {
    std::ifstream page(testing::source_folder() / "broker/metrics.md");
    std::set<std::string> lines;
    for (std::string line; std::getline(page, line);)
        if (line.starts_with("| `")) CHECK(lines.insert(line).second);
    return lines;
}

}  // namespace

TEST_CASE("broker/metrics.md has a line for every metric, and no others", "[metrics]") {
    const broker::Broker broker(broker::test_options());
    std::set<std::string> page = lines_of_page();
    bool complete = true;
    broker.counters().metrics.for_each_family([&](const base::MetricFamily& family) {
        if (page.erase(line_of(family)) != 0) return;
        std::cerr << line_of(family) << '\n';  // in one line, ready to copy
        complete = false;
    });
    INFO("The lines above are missing; these are too many:\n" << joined({page.begin(), page.end()}, "\n"));
    CHECK(complete);
    CHECK(page.empty());
}

TEST_CASE("every metric has a place of its own in the status", "[metrics]") {
    const broker::Broker broker(broker::test_options());
    std::set<std::vector<std::string>> paths;
    std::size_t series = 0;
    broker.counters().metrics.for_each_series([&](const base::MetricSeries& one) {
        ++series;
        paths.insert(one.status_path());
    });
    CHECK(paths.size() == series);
    for (const std::vector<std::string>& path : paths) {  // in the set's order, a nested path follows its parent
        const auto next = paths.upper_bound(path);
        if (next == paths.end() || next->size() <= path.size()) continue;
        CHECK_FALSE(std::equal(path.begin(), path.end(), next->begin()));
    }
}

TEST_CASE("metrics of the services are read where they are kept", "[metrics]") {
    broker::Broker broker(broker::test_options());
    const auto charge = broker.services().memory.charge(base::MemoryUse::bodies, 1'000);
    broker.services().event_streams = 3;
    const auto gauge = [&](const std::string& name, const std::vector<std::string>& labels) {
        std::int64_t value = -1;
        broker.counters().metrics.for_each_series([&](const base::MetricSeries& series) {
            if (series.family.name == name && series.label_values == labels)
                value = std::get<const base::ObservedGauge*>(series.number)->load();
        });
        return value;
    };
    CHECK(gauge("memory_use_bytes", {"bodies"}) == 1'000);
    CHECK(gauge("memory_use_bytes", {"filters"}) == 0);
    CHECK(gauge("memory_limit_bytes", {}) == static_cast<std::int64_t>(broker.services().memory.bytes_max()));
    CHECK(gauge("subscribers", {}) == 3);
    CHECK(gauge("queue_events", {}) == 0);
}
