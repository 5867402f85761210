#include "gpu/cuda/cuda_accelerator.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <utility>

#include "gpu/cuda/device_keeper.hpp"
#include "gpu/operators/processor_choice.hpp"

namespace sluice::cuda {

namespace {

using Clock = std::chrono::steady_clock;

// What a batch costs grows with its events and with the text that is searched for substrings: so much text counts as
// an event.
constexpr double text_bytes_of_event = 1024;

double size_of(std::span<const cpu::ProgramPart> parts, const engine::EventBatch& batch) {
    const auto searches = [](const cpu::ProgramPart& part) {
        return part.segment->tables().size(engine::Family::contains) > 0;
    };
    const auto events = static_cast<double>(batch.size());
    if (std::none_of(parts.begin(), parts.end(), searches)) return events;
    std::size_t bytes = 0;
    for (const engine::Value& value : batch.values) bytes += value.text.size();
    return events + static_cast<double>(bytes) / text_bytes_of_event;
}

// The lowest cost of a batch by its size: of a small set on the CPU, and on an H100.
constexpr std::array<operators::ProcessorChoice::Cost, 2> batch_costs{operators::ProcessorChoice::Cost{1, 0.5},
                                                                      operators::ProcessorChoice::Cost{25, 5}};

class CudaAccelerator final : public cpu::Accelerator {
public:
    CudaAccelerator(const engine::EngineOptions& options, const BatchLimits& limits)
        : backend_(options.backend),
          limits_(limits),
          keeper_(options),
          choice_({batch_costs, 0, options.backend == engine::Backend::automatic, "events or KiB of searched text"}) {}

    void mirror(const cpu::Segment& segment) noexcept override { keeper_.mirror(segment); }
    void keep(std::span<const cpu::ProgramPart> parts) override { keeper_.keep(parts); }

    void match(std::span<const cpu::ProgramPart> parts, const engine::EventBatch& batch, cpu::ScanCache& scans,
               cpu::Segment::Scratch& scratch, std::vector<engine::Match>& matches) override {
        keeper_.catch_up();
        const bool can_be_packed = is_worth_packing(batch);
        const double size = size_of(parts, batch);
        const std::size_t device = can_be_packed ? choose_device(parts, batch, size) : none_;
        const std::size_t begin = matches.size();
        const auto start = Clock::now();
        if (device != none_) {
            const std::uint32_t generation = devices_[device]->generation();
            try {
                if (match_on(device, parts, batch, scans, scratch, matches))
                    record(size, operators::ProcessorChoice::device, start);
                devices_[device]->measure_memory_if_due();
                return;
            } catch (const CudaError& error) {
                if (error.out_of_memory())
                    keeper_.note_lack_of_memory(*devices_[device], devices_[device]->matching, error);
                else
                    keeper_.note_fault(*devices_[device], devices_[device]->matching, generation, error);
            } catch (const BeyondLimit&) {
                devices_[device]->matching.succeeded();
            } catch (const std::bad_alloc&) {  // of the host. Exceptions of the batch's own functions end the match
            } catch (const std::length_error&) {
            }
            matches.resize(begin);
            scratch = {};
            ++rematched_batches_;
        }
        match_on_cpu(parts, batch, scans, scratch, matches);
        ++cpu_batches_;
        if (device == none_ && can_be_packed) record(size, operators::ProcessorChoice::cpu, start);
    }

    engine::EngineStatus status() const override {
        engine::EngineStatus status;
        status.backend = backend_ == engine::Backend::cuda ? "cuda" : "auto";
        const auto now = Clock::now();
        const auto segments = keeper_.kept();
        bool any = false;
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            const auto& device = devices_[i];
            engine::DeviceStatus d;
            d.device = device->number();
            d.name = device->name();
            const std::string copying = device->copying.state(now);
            d.state = device->matching.state(now);
            any |= d.state == "ready" && device->copies > 0;
            const std::string operating = device->operating.state(now);
            if (d.state == "ready" && copying != "ready") d.state = "copying " + copying;
            if (const std::size_t n = count_refused(segments, i); d.state == "ready" && n > 0)
                d.state = "ready, but has no room for " + std::to_string(n) + (n == 1 ? " segment" : " segments");
            if (d.state == "ready" && operating != "ready") d.state = "operators " + operating;
            d.bytes = device->bytes();
            const MatchingDevice::MemoryUse memory = device->memory_use();
            d.memory_total = memory.total;
            d.memory_used = memory.used;
            d.segments = device->copies;
            d.batches = device->batches;
            d.events = device->events;
            const Transfers moved = transfers(device->number());
            d.bytes_to_device = moved.to_device;
            d.bytes_to_host = moved.to_host;
            d.sampled_seconds = device->sampled().seconds;
            d.sampled_events = device->sampled().events;
            d.operator_batches = keeper_.operators()->batches(i);
            if (d.state == "ready" && d.name.empty() && d.operator_batches == 0) d.state = "not used yet";
            for (const DeviceHealth* const health : {&device->operating, &device->copying, &device->matching})
                d.faults += health->failures();
            d.last_fault = latest({&device->operating, &device->copying, &device->matching}).what;
            status.devices.push_back(std::move(d));
        }
        status.reason = reason(any);
        status.operators = keeper_.operators()->status();
        status.cpu_batches = cpu_batches_;
        status.rematched_batches = rematched_batches_;
        status.faults = keeper_.faults();
        return status;
    }

    // With auto, null if there are no devices: a machine without a GPU is not a failure.
    std::shared_ptr<operators::OperatorDevices> operator_devices() const override {
        return backend_ == engine::Backend::cuda || device_count() > 0 ? keeper_.operators() : nullptr;
    }

private:
    static constexpr std::size_t none_ = static_cast<std::size_t>(-1);

    static DeviceHealth::Failure latest(std::initializer_list<const DeviceHealth*> healths) {
        DeviceHealth::Failure latest{{}, Clock::time_point::min()};
        for (const DeviceHealth* const health : healths) {
            DeviceHealth::Failure failure = health->last_failure();
            if (failure.at > latest.at) latest = std::move(failure);
        }
        return latest;
    }

    std::string reason(bool any) const {
        if (!any) {
            for (const auto& device : devices_) {
                const std::string failure = latest({&device->copying, &device->matching}).what;
                if (!failure.empty()) return "the CPU matches: " + failure;
            }
            return "the CPU matches: no segment is large enough for a device yet";
        }
        if (backend_ == engine::Backend::cuda) return "devices match what is large, as configured";
        return choice_.reason();
    }

    // Of the usable devices, the one with the fewest batches under way; devices with equally few take turns. none_: the
    // CPU.
    std::size_t choose_device(std::span<const cpu::ProgramPart> parts, const engine::EventBatch& batch, double size) {
        if (batch.size() == 0) return none_;
        const auto now = Clock::now();
        const std::size_t turn = devices_.size() == 1 ? 0 : turn_.fetch_add(1, std::memory_order_relaxed);
        std::size_t best = none_;
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            const std::size_t d = (turn + i) % devices_.size();
            if (!devices_[d]->matching.might_try(now)) continue;
            if (best != none_ && devices_[d]->under_way() >= devices_[best]->under_way()) continue;
            if (std::any_of(parts.begin(), parts.end(),
                            [&](const cpu::ProgramPart& part) { return has_copy(*part.segment, d); }))
                best = d;
        }
        if (best == none_) return none_;
        if (choice_.choose(size) == operators::ProcessorChoice::cpu) return none_;
        return devices_[best]->matching.can_attempt(now) ? best : none_;
    }

    void record(double size, operators::ProcessorChoice::Processor processor, Clock::time_point start) {
        choice_.record(size, processor, std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }

    // Returns whether the batch had the usual cost of the device.
    bool match_on(std::size_t d, std::span<const cpu::ProgramPart> parts, const engine::EventBatch& batch,
                  cpu::ScanCache& scans, cpu::Segment::Scratch& scratch, std::vector<engine::Match>& matches) {
        MatchingDevice& device = *devices_[d];
        std::vector<std::shared_ptr<const SegmentTables>> held;  // released after the slot
        std::vector<const SegmentTables*> tables;
        std::vector<const cpu::ProgramPart*> copied, others;
        for (const cpu::ProgramPart& part : parts) {
            if (auto copy = copy_of(*part.segment, d)) {
                tables.push_back(copy.get());
                copied.push_back(&part);
                held.push_back(std::move(copy));
            } else {
                others.push_back(&part);
            }
        }
        MatchingDevice::Lease slot(device, batch, tables, limits_);
        for (const cpu::ProgramPart* part : others)
            part->segment->match(batch, part->removed.get(), scans, scratch, matches);
        slot->wait();
        for (std::size_t i = 0; i < copied.size(); ++i)
            copied[i]->segment->finish(batch, copied[i]->removed.get(), slot->found(i), slot->cluster_hits(i), scans,
                                       scratch, matches);
        if (const auto timing = slot->timing()) device.sample(timing->seconds, timing->events);
        device.matching.succeeded();
        ++device.batches;
        device.events += batch.size();
        if (batch.on_device != nullptr && !copied.empty()) *batch.on_device = true;
        return slot->was_usual();
    }

    static void match_on_cpu(std::span<const cpu::ProgramPart> parts, const engine::EventBatch& batch,
                             cpu::ScanCache& scans, cpu::Segment::Scratch& scratch,
                             std::vector<engine::Match>& matches) {
        for (const cpu::ProgramPart& part : parts)
            part.segment->match(batch, part.removed.get(), scans, scratch, matches);
    }

    const engine::Backend backend_;
    const BatchLimits limits_;
    DeviceKeeper keeper_;
    const std::vector<std::shared_ptr<MatchingDevice>>& devices_ = keeper_.devices();
    operators::ProcessorChoice choice_;
    std::atomic<std::size_t> turn_ = 0;
    std::atomic<std::uint64_t> cpu_batches_ = 0, rematched_batches_ = 0;
};

}  // namespace

std::shared_ptr<cpu::Accelerator> make_cuda_accelerator(const engine::EngineOptions& options,
                                                        const BatchLimits& limits) {
    return std::make_shared<CudaAccelerator>(options, limits);
}

}  // namespace sluice::cuda
