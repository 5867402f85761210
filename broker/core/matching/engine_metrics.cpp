#include "broker/core/matching/engine_metrics.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace sluice::broker {

namespace {

using base::CollectedFamily;
using base::MetricType;

// In the order of `families`.
enum Family : std::size_t {
    gpu,
    gpu_segments,
    gpu_segment_bytes,
    gpu_batches,
    gpu_events,
    gpu_operator_batches,
    gpu_faults,
    gpu_memory_total,
    gpu_memory_used,
    gpu_transferred,
    operator_batches,
    operator_repeated_batches,
    cpu_batches,
    rematched_batches,
    background_failures,
    faults,
};

const std::array<CollectedFamily, faults + 1> families{{
    {{.name = "gpu", .help = "A GPU that may match", .status = "engine.devices.{device}"},
     MetricType::info,
     {"device", "name", "state"}},
    {{.name = "gpu_segments",
      .help = "Segments of subscriptions with a copy on the GPU",
      .status = "engine.devices.{device}.segments"},
     MetricType::gauge,
     {"device"}},
    {{.name = "gpu_segment_bytes",
      .help = "Memory of the GPU for these copies",
      .unit = "bytes",
      .status = "engine.devices.{device}.bytes"},
     MetricType::gauge,
     {"device"}},
    {{.name = "gpu_batches",
      .help = "Batches of events that the GPU matched",
      .status = "engine.devices.{device}.batches"},
     MetricType::counter,
     {"device"}},
    {{.name = "gpu_events", .help = "Events in gpu_batches", .status = "engine.devices.{device}.events"},
     MetricType::counter,
     {"device"}},
    {{.name = "gpu_operator_batches",
      .help = "Batches of an operator's pairs of condition and text that the GPU decided",
      .status = "engine.devices.{device}.operator_batches"},
     MetricType::counter,
     {"device"}},
    {{.name = "gpu_faults",
      .help = "Failures of the GPU; the CPU did the work in its place",
      .status = "engine.devices.{device}.faults"},
     MetricType::counter,
     {"device"}},
    {{.name = "gpu_memory_bytes",
      .help = "Memory of the GPU; 0: it has not been used yet",
      .unit = "bytes",
      .status = "engine.devices.{device}.memory.total"},
     MetricType::gauge,
     {"device"}},
    {{.name = "gpu_memory_used_bytes",
      .help = "Memory of the GPU in use by all processes, when it was last used",
      .unit = "bytes",
      .status = "engine.devices.{device}.memory.used"},
     MetricType::gauge,
     {"device"}},
    {{.name = "gpu_transferred_bytes",
      .help = "Bytes moved to the GPU (to_device) and from it (to_host)",
      .unit = "bytes",
      .status = "engine.devices.{device}.transferred.{direction}"},
     MetricType::counter,
     {"device", "direction"}},
    {{.name = "operator_batches",
      .help = "Batches of pairs of condition and text, by the processor that decided them, where a GPU might",
      .status = "engine.operators.{family}.batches.{processor}"},
     MetricType::counter,
     {"family", "processor"}},
    {{.name = "operator_repeated_batches",
      .help = "Of operator_batches on the CPU, those repeated after a GPU failed",
      .status = "engine.operators.{family}.repeated_batches"},
     MetricType::counter,
     {"family"}},
    {{.name = "engine_cpu_batches",
      .help = "Batches that the CPU matched although a GPU was configured",
      .status = "engine.cpu_batches"},
     MetricType::counter,
     {}},
    {{.name = "engine_rematched_batches",
      .help = "Of engine_cpu_batches, those that a GPU failed to match, or found too large",
      .status = "engine.rematched_batches"},
     MetricType::counter,
     {}},
    {{.name = "engine_background_failures",
      .help = "Optional background work of the engine that failed, as for lack of memory; it is tried again",
      .status = "engine.background_failures"},
     MetricType::counter,
     {}},
    {{.name = "engine_faults",
      .help = "Failures of GPUs, by CUDA's name of the error",
      .status = "engine.faults.{error}"},
     MetricType::counter,
     {"error"}},
}};

void add(base::MetricRegistry::Sink& sink, const engine::EngineStatus& engine) {
    for (const engine::DeviceStatus& d : engine.devices) {
        const std::string device = std::to_string(d.device);
        sink.add_info(gpu, {device, d.name, d.state});
        sink.add(gpu_segments, {device}, d.segments);
        sink.add(gpu_segment_bytes, {device}, d.bytes);
        sink.add(gpu_batches, {device}, d.batches);
        sink.add(gpu_events, {device}, d.events);
        sink.add(gpu_operator_batches, {device}, d.operator_batches);
        sink.add(gpu_faults, {device}, d.faults);
        sink.add(gpu_memory_total, {device}, d.memory_total);
        sink.add(gpu_memory_used, {device}, d.memory_used);
        sink.add(gpu_transferred, {device, "to_device"}, d.bytes_to_device);
        sink.add(gpu_transferred, {device, "to_host"}, d.bytes_to_host);
    }
    for (const engine::OperatorStatus& o : engine.operators) {
        sink.add(operator_batches, {o.family, "gpu"}, o.device_batches);
        sink.add(operator_batches, {o.family, "cpu"}, o.cpu_batches);
        sink.add(operator_repeated_batches, {o.family}, o.repeated_batches);
    }
    sink.add(cpu_batches, {}, engine.cpu_batches);
    sink.add(rematched_batches, {}, engine.rematched_batches);
    sink.add(background_failures, {}, engine.background_failures);
    for (const auto& [error, count] : engine.faults) sink.add(faults, {error}, count);
}

}  // namespace

void register_engine_metrics(base::MetricRegistry& metrics, const SubscriptionRegistry& registry) {
    const auto gauge = [&](const base::MetricInfo& info, auto read) {
        metrics.observed_gauge(info, {}, [read] { return static_cast<std::int64_t>(read()); });
    };
    gauge({.name = "subscriptions", .help = "Filters of all subscribers", .status = "subscriptions.total"},
          [&] { return registry.size(); });
    gauge({.name = "subscriptions_distinct",
           .help = "Filters of all subscribers, equal ones counted once",
           .status = "subscriptions.distinct"},
          [&] { return registry.distinct(); });
    gauge({.name = "subscriptions_operators",
           .help = "Computed conditions of all filters",
           .status = "subscriptions.operators"},
          [&] { return registry.operators(); });
    metrics.collect(families, [&](base::MetricRegistry::Sink& sink) { add(sink, registry.engine()); });
}

}  // namespace sluice::broker
