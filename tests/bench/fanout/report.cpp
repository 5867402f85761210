#include "tests/bench/fanout/report.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <iomanip>
#include <ostream>
#include <utility>

namespace sluice::fanout {

namespace {

// Medians of the rounds.
struct Figures {
    double messages = 0, deliveries = 0;  // per second
    double broker_us_message = 0, broker_us_delivery = 0, own_us_message = 0;
};

template <typename Figure>
double median_of(const Measured& measured, const Figure& figure) {
    std::vector<double> values;
    for (const RoundResult& round : measured.rounds) values.push_back(figure(round));
    return median(std::move(values));
}

Figures figures_of(const Measured& measured) {
    const auto per = [&](auto much, auto many, double factor) {
        return median_of(measured, [&](const RoundResult& round) {
            return static_cast<double>(round.*much) * factor / static_cast<double>(round.*many);
        });
    };
    using R = RoundResult;
    return {per(&R::messages, &R::seconds, 1), per(&R::deliveries, &R::seconds, 1),
            per(&R::broker_cpu_seconds, &R::messages, 1e6), per(&R::broker_cpu_seconds, &R::deliveries, 1e6),
            per(&R::own_cpu_seconds, &R::messages, 1e6)};
}

boost::json::value json_of(const RoundResult& round) {
    return {{"seconds", round.seconds},
            {"messages", round.messages},
            {"deliveries", round.deliveries},
            {"broker_cpu_seconds", round.broker_cpu_seconds},
            {"own_cpu_seconds", round.own_cpu_seconds}};
}

boost::json::value json_of(const Measured& measured) {
    const Figures figures = figures_of(measured);
    boost::json::array rounds;
    for (const RoundResult& round : measured.rounds) rounds.push_back(json_of(round));
    boost::json::object object{{"scenario", measured.scenario->name},
                               {"system", measured.system},
                               {"document_bytes", measured.scenario->document().bytes.size()},
                               {"messages_per_second", figures.messages},
                               {"deliveries_per_second", figures.deliveries},
                               {"broker_cpu_us_per_message", figures.broker_us_message},
                               {"broker_cpu_us_per_delivery", figures.broker_us_delivery},
                               {"own_cpu_us_per_message", figures.own_us_message}};
    if (measured.p99_us > 0) {
        object["latency_messages_per_second"] = measured.latency_rate;
        object["latency_us"] = boost::json::object{{"p50", measured.p50_us}, {"p99", measured.p99_us}};
    }
    if (!measured.fault.empty()) object.emplace("fault", measured.fault);
    object["rounds"] = std::move(rounds);
    return object;
}

}  // namespace

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

void print_table(std::ostream& out, const std::vector<Measured>& all) {
    out << "| scenario | system | messages/s | deliveries/s | broker, µs a message | broker, µs a delivery | "
           "driver, µs a message | p50, µs | p99, µs |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        << std::fixed;
    for (const Measured& measured : all) {
        out << "| " << measured.scenario->title << " | " << measured.system << " | ";
        if (!measured.fault.empty()) {
            out << "failed | | | | | | |\n";
            continue;
        }
        const Figures figures = figures_of(measured);
        out << std::setprecision(0) << figures.messages << " | " << figures.deliveries << " | " << std::setprecision(2)
            << figures.broker_us_message << " | " << figures.broker_us_delivery << " | " << figures.own_us_message
            << " | " << std::setprecision(0);
        if (measured.p99_us > 0)
            out << measured.p50_us << " | " << measured.p99_us << " |\n";
        else
            out << " | |\n";
    }
}

void print_json(std::ostream& out, const std::vector<Measured>& all) {
    boost::json::array results;
    for (const Measured& measured : all) results.push_back(json_of(measured));
    out << boost::json::serialize(results) << '\n';
}

}  // namespace sluice::fanout
