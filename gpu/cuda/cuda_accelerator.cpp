#include "gpu/cuda/cuda_accelerator.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <initializer_list>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "gpu/cuda/matching_device.hpp"
#include "gpu/cuda/operator_devices.hpp"
#include "gpu/operators/processor_choice.hpp"

namespace sluice {

namespace cuda {

namespace {

using Clock = std::chrono::steady_clock;

// What a batch costs at best, by the number of its events: of a small set on the CPU, and on an H100.
constexpr std::array<ProcessorChoice::Cost, 2> batch_costs{ProcessorChoice::Cost{1, 0.5}, ProcessorChoice::Cost{25, 5}};

// What is attached to a segment: its copies, by device, and when to try again where there was no memory for one.
struct Copies {
    struct OfDevice {
        std::shared_ptr<const SegmentCopy> made;  // or null
        bool never = false;                       // no device can hold it
        Clock::time_point again{};
        std::chrono::milliseconds pause = DeviceHealth::pause_min;
    };
    std::vector<OfDevice> by_device;
};

// Errors after which no call in the context that the process has on the device will succeed again.
bool is_lasting(cudaError_t code) {
    switch (code) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorLaunchTimeout:
        case cudaErrorAssert:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        case cudaErrorContained:
        case cudaErrorDevicesUnavailable:
            return true;
        default:
            return false;
    }
}

// A device that has something already takes segments of so many subscriptions, too: side by side they cost a batch less
// there than on the CPU.
constexpr std::size_t rows_beside_min = 256;

class CudaAccelerator final : public Accelerator {
public:
    explicit CudaAccelerator(const EngineOptions& options)
        : options_(options), choice_({batch_costs, 0, options.backend == Backend::automatic, "events"}) {
        std::vector<int> numbers = options.devices;
        if (numbers.empty()) numbers.push_back(0);
        for (const int number : numbers)
            devices_.push_back(std::make_shared<MatchingDevice>(number, options.device_bytes_max));
        operators_ = std::make_shared<CudaOperatorDevices>(
            devices_, options, [this](MatchingDevice& device, std::uint32_t generation, const CudaError& error) {
                note_fault(device, device.operating, generation, error);
            });
        thread_ = std::thread([this] { run(); });
    }

    ~CudaAccelerator() override {
        operators_->close();
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_one();
        thread_.join();
    }

    void mirror(const Segment& segment) noexcept override {
        if (!is_worth_copies(segment)) return;
        for (std::size_t d = 0; d < devices_.size(); ++d) {
            if (lacks_copy(segment, d) && of_device(segment, d).again <= Clock::now() &&
                devices_[d]->copying.may_try(Clock::now()))
                copy(segment, d);
        }
    }

    void keep(std::span<const CpuProgram::Part> parts) override {
        std::vector<std::weak_ptr<const Segment>> kept;
        bool complete = true;
        for (const CpuProgram::Part& part : parts) {
            if (!is_worth_copies(*part.segment)) continue;
            kept.push_back(part.segment);
            complete &= !lacks_copies(*part.segment);
        }
        const std::lock_guard lock(mutex_);
        kept_.swap(kept);
        // Where no device can take copies there is always something to do, and the thread looks by itself.
        if (!complete && !std::exchange(to_do_, true)) wake_.notify_one();
    }

    void match(std::span<const CpuProgram::Part> parts, const EventBatch& batch, ScanCache& scans,
               Segment::Scratch& scratch, std::vector<Match>& matches) override {
        const std::size_t device = choose_device(parts, batch);
        const std::size_t begin = matches.size();
        const auto start = Clock::now();
        if (device != none_) {
            const std::uint32_t generation = devices_[device]->generation();
            try {
                if (match_on(device, parts, batch, scans, scratch, matches))
                    record(batch, ProcessorChoice::device, start);
                return;
            } catch (const CudaError& error) {
                matches.resize(begin);
                scratch = {};
                note_fault(*devices_[device], devices_[device]->matching, generation, error);
                ++rematched_batches_;
            }
        }
        match_on_cpu(parts, batch, scans, scratch, matches);
        ++cpu_batches_;
        if (device == none_) record(batch, ProcessorChoice::cpu, start);
    }

    EngineStatus status() const override {
        EngineStatus status;
        status.backend = options_.backend == Backend::cuda ? "cuda" : "auto";
        const auto now = Clock::now();
        const auto segments = kept();
        bool any = false;
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            const auto& device = devices_[i];
            DeviceStatus d;
            d.device = device->number();
            d.name = device->name();
            const std::string copying = device->copying.state(now);
            d.state = device->matching.state(now);
            any |= d.state == "ready" && device->copies > 0;
            const std::string operating = device->operating.state(now);
            if (d.state == "ready" && copying != "ready") d.state = "copying " + copying;
            if (const std::size_t n = refused(segments, i); d.state == "ready" && n > 0)
                d.state = "ready, but has no room for " + std::to_string(n) + (n == 1 ? " segment" : " segments");
            if (d.state == "ready" && operating != "ready") d.state = "operators " + operating;
            d.bytes = device->bytes();
            d.segments = device->copies;
            d.batches = device->batches;
            d.events = device->events;
            d.sampled_seconds = device->sampled().seconds;
            d.sampled_events = device->sampled().events;
            d.operator_batches = operators_->batches(i);
            if (d.state == "ready" && d.name.empty() && d.operator_batches == 0) d.state = "not used yet";
            for (const DeviceHealth* const health : {&device->operating, &device->copying, &device->matching})
                d.faults += health->failures();
            d.last_fault = latest({&device->operating, &device->copying, &device->matching}).what;
            status.devices.push_back(std::move(d));
        }
        status.reason = reason(any);
        status.operators = operators_->status();
        status.cpu_batches = cpu_batches_;
        status.rematched_batches = rematched_batches_;
        const std::lock_guard lock(mutex_);
        status.faults = faults_;
        return status;
    }

    // With auto, none where there are none: that a machine has no GPU is no failure.
    std::shared_ptr<OperatorDevices> operator_devices() const override {
        return options_.backend == Backend::cuda || device_count() > 0 ? operators_ : nullptr;
    }

private:
    static constexpr std::size_t none_ = static_cast<std::size_t>(-1);
    static constexpr std::chrono::milliseconds look_again{250};  // after what is to do, while something is

    bool is_worth_copies(const Segment& segment) const {
        if (segment.size() >= options_.device_rows_min) return true;
        return segment.size() >= rows_beside_min &&
               std::any_of(devices_.begin(), devices_.end(), [](const auto& device) { return device->copies > 0; });
    }

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
        if (options_.backend == Backend::cuda) return "devices match what is large, as configured";
        return choice_.reason();
    }

    static std::shared_ptr<const Copies> copies(const Segment& segment) {
        return std::static_pointer_cast<const Copies>(segment.attachment().get());
    }
    static Copies::OfDevice of_device(const Segment& segment, std::size_t device) {
        const auto c = copies(segment);
        return c ? c->by_device[device] : Copies::OfDevice{};
    }
    static std::shared_ptr<const SegmentTables> copy_of(const Segment& segment, std::size_t device) {
        const auto c = copies(segment);
        return c && c->by_device[device].made ? c->by_device[device].made->tables() : nullptr;
    }
    static bool has_copy(const Segment& segment, std::size_t device) { return copy_of(segment, device) != nullptr; }
    static bool lacks_copy(const Segment& segment, std::size_t device) {
        return !has_copy(segment, device) && !of_device(segment, device).never;
    }
    bool lacks_copies(const Segment& segment) const {
        for (std::size_t d = 0; d < devices_.size(); ++d) {
            if (lacks_copy(segment, d)) return true;
        }
        return false;
    }

    void copy(const Segment& segment, std::size_t d) noexcept {
        try {
            attach(segment, d, try_to_copy(segment, d));
        } catch (const std::exception& error) {
            devices_[d]->copying.failed(error.what(), Clock::now());
        }
    }

    Copies::OfDevice try_to_copy(const Segment& segment, std::size_t d) {
        MatchingDevice& device = *devices_[d];
        const std::uint32_t generation = device.generation();
        Copies::OfDevice result = of_device(segment, d);
        try {
            device.open();
            result = {device.copy(segment)};
            device.copying.succeeded();
        } catch (const CudaError& error) {
            if (!error.out_of_memory()) {
                note_fault(device, device.copying, generation, error);
                return result;
            }
            tell(device, error);
            refuse(device, error);  // what is smaller may have room
            result.again = Clock::now() + result.pause;
            result.pause = std::min(2 * result.pause, DeviceHealth::pause_max);
        } catch (const std::logic_error& error) {  // std::length_error and the like: it will be no different next time
            refuse(device, error);
            result.never = true;
        }
        return result;
    }

    // This segment, not the next.
    static void refuse(MatchingDevice& device, const std::exception& error) {
        device.copying.succeeded();
        device.copying.note(error.what(), Clock::now());
    }

    std::vector<std::weak_ptr<const Segment>> kept() const {
        const std::lock_guard lock(mutex_);
        return kept_;
    }
    static std::size_t refused(const std::vector<std::weak_ptr<const Segment>>& segments, std::size_t device) {
        return static_cast<std::size_t>(std::count_if(segments.begin(), segments.end(), [device](const auto& weak) {
            const auto segment = weak.lock();
            if (!segment) return false;
            const Copies::OfDevice of = of_device(*segment, device);
            return of.never || (of.again != Clock::time_point{} && !has_copy(*segment, device));
        }));
    }

    void attach(const Segment& segment, std::size_t d, Copies::OfDevice result) {
        const std::lock_guard lock(attaching_);
        const auto old = copies(segment);
        auto all = old ? std::make_shared<Copies>(*old) : std::make_shared<Copies>();
        all->by_device.resize(devices_.size());
        all->by_device[d] = std::move(result);
        segment.attachment().set(std::move(all));
    }

    void note_fault(MatchingDevice& device, DeviceHealth& health, std::uint32_t generation, const CudaError& error) {
        cudaGetLastError();
        if (is_lasting(error.code())) {
            lose(device, generation, error.what());
        } else {
            health.failed(error.what(), Clock::now());
        }
        tell(device, error);
    }

    void lose(MatchingDevice& device, std::uint32_t generation, const std::string& what) {
        {
            const std::lock_guard lock(losing_);
            if (generation != device.generation()) return;
            device.matching.lose(what, Clock::now());
            device.copying.lose(what, Clock::now());
            device.operating.lose(what, Clock::now());
        }
        const std::lock_guard lock(mutex_);
        to_do_ = true;
        wake_.notify_one();
    }

    void tell(const MatchingDevice& device, const CudaError& error) {
        {
            const std::lock_guard lock(mutex_);
            ++faults_[cudaGetErrorName(error.code())];
        }
        if (options_.on_fault) options_.on_fault(name_of(device) + ": " + error.what());
    }
    static std::string name_of(const MatchingDevice& device) { return "device " + std::to_string(device.number()); }

    // Of the devices that can be used, the one with the fewest batches under way; they take turns where it's the same.
    // none_: the CPU.
    std::size_t choose_device(std::span<const CpuProgram::Part> parts, const EventBatch& batch) {
        if (batch.size() == 0) return none_;
        const auto now = Clock::now();
        const std::size_t turn = devices_.size() == 1 ? 0 : turn_.fetch_add(1, std::memory_order_relaxed);
        std::size_t best = none_;
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            const std::size_t d = (turn + i) % devices_.size();
            if (!devices_[d]->matching.might_try(now)) continue;
            if (best != none_ && devices_[d]->under_way() >= devices_[best]->under_way()) continue;
            if (std::any_of(parts.begin(), parts.end(),
                            [&](const CpuProgram::Part& part) { return has_copy(*part.segment, d); }))
                best = d;
        }
        if (best == none_) return none_;
        if (choice_.choose(static_cast<double>(batch.size())) == ProcessorChoice::cpu) return none_;
        return devices_[best]->matching.may_try(now) ? best : none_;
    }

    void record(const EventBatch& batch, ProcessorChoice::Processor processor, Clock::time_point start) {
        choice_.record(static_cast<double>(batch.size()), processor,
                       std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }

    // Whether it has cost what batches do there.
    bool match_on(std::size_t d, std::span<const CpuProgram::Part> parts, const EventBatch& batch, ScanCache& scans,
                  Segment::Scratch& scratch, std::vector<Match>& matches) {
        MatchingDevice& device = *devices_[d];
        std::vector<std::shared_ptr<const SegmentTables>> held;  // given back after the slot
        std::vector<const SegmentTables*> tables;
        std::vector<const CpuProgram::Part*> copied, others;
        for (const CpuProgram::Part& part : parts) {
            if (auto copy = copy_of(*part.segment, d)) {
                tables.push_back(copy.get());
                copied.push_back(&part);
                held.push_back(std::move(copy));
            } else {
                others.push_back(&part);
            }
        }
        MatchingDevice::Lease slot(device);
        slot->begin(batch, tables);
        for (const CpuProgram::Part* part : others)
            part->segment->match(batch, part->removed.get(), scans, scratch, matches);
        slot->wait();
        for (std::size_t i = 0; i < copied.size(); ++i)
            copied[i]->segment->finish(batch, copied[i]->removed.get(), slot->found(i), slot->scan_hits(i), scans,
                                       scratch, matches);
        if (const auto timing = slot->timing()) device.sample(timing->seconds, timing->events);
        device.matching.succeeded();
        ++device.batches;
        device.events += batch.size();
        return slot->was_usual();
    }

    static void match_on_cpu(std::span<const CpuProgram::Part> parts, const EventBatch& batch, ScanCache& scans,
                             Segment::Scratch& scratch, std::vector<Match>& matches) {
        for (const CpuProgram::Part& part : parts)
            part.segment->match(batch, part.removed.get(), scans, scratch, matches);
    }

    // Copies what has no copy yet, and revives what is lost, as soon as that may be tried.
    void run() {
        std::unique_lock lock(mutex_);
        while (!stopping_) {
            if (to_do_)
                wake_.wait_for(lock, look_again);
            else
                wake_.wait(lock);
            if (stopping_) return;
            const auto kept = kept_;
            to_do_ = false;
            lock.unlock();
            const bool all_live = revive_devices(), all_copied = copy_all(kept);
            lock.lock();
            to_do_ |= !all_live || !all_copied;
        }
    }

    bool revive_devices() {
        bool all = true;
        for (const auto& device : devices_) {
            if (device->matching.may_revive(Clock::now())) revive(*device);
            all &= !device->matching.is_lost();
        }
        return all;
    }

    void revive(MatchingDevice& device) {
        try {
            operators_->let_go(device);
            device.revive();
        } catch (const CudaError& error) {
            cudaGetLastError();
            lose(device, device.generation(), error.what());
            tell(device, error);
            return;
        }
        if (options_.on_recovery) options_.on_recovery(name_of(device));
        const std::lock_guard lock(losing_);
        device.matching.revived();
        device.copying.revived();
        device.operating.revived();
    }

    // Whether there is nothing left to copy.
    bool copy_all(const std::vector<std::weak_ptr<const Segment>>& kept) {
        bool all = true;
        for (const auto& weak : kept) {
            const auto segment = weak.lock();
            if (!segment) continue;
            mirror(*segment);
            all &= !lacks_copies(*segment);
        }
        return all;
    }

    const EngineOptions options_;
    std::vector<std::shared_ptr<MatchingDevice>> devices_;
    std::shared_ptr<CudaOperatorDevices> operators_;
    ProcessorChoice choice_;
    std::atomic<std::size_t> turn_ = 0;
    std::atomic<std::uint64_t> cpu_batches_ = 0, rematched_batches_ = 0;
    std::mutex attaching_;
    std::mutex losing_;  // a device's three healths are lost and revived together

    mutable std::mutex mutex_;  // of what follows
    std::condition_variable wake_;
    bool stopping_ = false;
    bool to_do_ = false;                              // there may be something to copy, or to revive
    std::vector<std::weak_ptr<const Segment>> kept_;  // of the latest program, that should be copied
    std::map<std::string, std::uint64_t> faults_;
    std::thread thread_;
};

}  // namespace

}  // namespace cuda

std::shared_ptr<Accelerator> make_cuda_accelerator(const EngineOptions& options) {
    return std::make_shared<cuda::CudaAccelerator>(options);
}

}  // namespace sluice
