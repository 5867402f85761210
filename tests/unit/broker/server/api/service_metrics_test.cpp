#include "broker/server/api/service_metrics.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "broker/base/exposition.hpp"
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
    return "| `" + exposed_name(family) + "` | " + std::string(name_of(family.type)) + " |" + labels + " | " +
           family.help + " | `" + joined(family.status, ".") + "` |";
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
    for (const base::MetricReading& reading : broker.counters().metrics.read()) {
        if (page.erase(line_of(*reading.family)) != 0) continue;
        std::cerr << line_of(*reading.family) << '\n';  // in one line, ready to copy
        complete = false;
    }
    INFO("The lines above are missing; these are too many:\n" << joined({page.begin(), page.end()}, "\n"));
    CHECK(complete);
    CHECK(page.empty());
}

TEST_CASE("every metric has a place of its own in the status", "[metrics]") {
    const broker::Broker broker(broker::test_options());
    std::set<std::vector<std::string>> paths;
    std::size_t series = 0;
    for (const base::MetricReading& reading : broker.counters().metrics.read()) {
        if (reading.family->type == base::MetricType::info) continue;  // its texts stand beside numbers
        for (const base::MetricSample& sample : reading.samples) {
            ++series;
            paths.insert(status_path(*reading.family, sample));
        }
    }
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
        for (const base::MetricReading& reading : broker.counters().metrics.read())
            for (const base::MetricSample& sample : reading.samples)
                if (reading.family->name == name && sample.label_values == labels)
                    value = std::get<std::int64_t>(sample.value);
        return value;
    };
    CHECK(gauge("memory_use_bytes", {"bodies"}) == 1'000);
    CHECK(gauge("memory_use_bytes", {"filters"}) == 0);
    CHECK(gauge("memory_limit_bytes", {}) == static_cast<std::int64_t>(broker.services().memory.bytes_max()));
    CHECK(gauge("subscribers", {}) == 3);
    CHECK(gauge("queue_events", {}) == 0);
}
