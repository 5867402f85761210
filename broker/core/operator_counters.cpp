#include "broker/core/operator_counters.hpp"

#include <array>

#include "gpu/api/predicate.hpp"

namespace sluice::broker {

namespace {

using base::MetricInfo;

constexpr std::array<std::string_view, engine::measure_kinds> names = {
    "matches",      "approx-distance", "edit-distance", "align",
    "align-global", "laminarity",      "determinism",   "recurrence-rate"};

constexpr MetricInfo texts_info{
    .name = "operator_texts", .help = "Texts passed to an operator", .status = "operators.{operator}.texts"};
constexpr MetricInfo bytes_info{.name = "operator_bytes",
                                .help = "Bytes of the texts that contains searched",
                                .unit = "bytes",
                                .status = "operators.{operator}.bytes"};
constexpr MetricInfo pairs_info{.name = "operator_pairs",
                                .help = "Pairs of condition and text that had to be decided",
                                .status = "operators.{operator}.pairs"};
constexpr MetricInfo cells_info{.name = "operator_cells",
                                .help = "Cells of the matrices of operator_pairs, computed or not",
                                .status = "operators.{operator}.cells"};
constexpr MetricInfo filter_hits_info{.name = "operator_filter_hits",
                                      .help = "Possible hits found by an operator's filter",
                                      .status = "operators.{operator}.filter_hits"};
constexpr MetricInfo verified_info{.name = "operator_verified",
                                   .help = "Possible hits that the operator itself verified",
                                   .status = "operators.{operator}.verified"};
constexpr MetricInfo holds_info{
    .name = "operator_holds", .help = "Pairs that hold", .status = "operators.{operator}.holds"};
constexpr MetricInfo hits_info{
    .name = "operator_hits", .help = "Occurrences that contains found", .status = "operators.{operator}.hits"};
constexpr MetricInfo unreadable_info{.name = "operator_unreadable",
                                     .help = "Pairs whose text could not be read as the operator's input",
                                     .status = "operators.{operator}.unreadable"};
constexpr MetricInfo device_texts_info{.name = "operator_device_texts",
                                       .help = "Of operator_texts, those passed to a GPU",
                                       .status = "operators.{operator}.on_device.texts"};
constexpr MetricInfo device_pairs_info{.name = "operator_device_pairs",
                                       .help = "Of operator_pairs, those that a GPU decided",
                                       .status = "operators.{operator}.on_device.pairs"};
constexpr MetricInfo device_cells_info{.name = "operator_device_cells",
                                       .help = "Of operator_cells, those of operator_device_pairs",
                                       .status = "operators.{operator}.on_device.cells"};

// Registers the counters of one operator.
class OfOperator {
public:
    OfOperator(base::MetricRegistry& metrics, std::string_view name) : metrics_(metrics), name_(name) {}
    base::Counter& operator()(const MetricInfo& info) const { return metrics_.counter(info, {{"operator", name_}}); }

private:
    base::MetricRegistry& metrics_;
    std::string_view name_;
};

OperatorCounters counters_of(const OfOperator& counter) {
    return {counter(texts_info),        counter(pairs_info),       counter(cells_info),      counter(filter_hits_info),
            counter(verified_info),     counter(holds_info),       counter(unreadable_info), counter(device_texts_info),
            counter(device_pairs_info), counter(device_cells_info)};
}

}  // namespace

ContainsCounters contains_counters(base::MetricRegistry& metrics) {
    const OfOperator counter(metrics, "contains");
    return {counter(texts_info), counter(bytes_info), counter(filter_hits_info), counter(verified_info),
            counter(hits_info)};
}

std::vector<OperatorCounters> operator_counters(base::MetricRegistry& metrics) {
    std::vector<OperatorCounters> operators;
    for (const std::string_view name : names) operators.push_back(counters_of({metrics, name}));
    return operators;
}

}  // namespace sluice::broker
