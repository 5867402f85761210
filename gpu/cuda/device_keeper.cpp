#include "gpu/cuda/device_keeper.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gpu/device/context.hpp"
#include "gpu/device/lasting_error.hpp"

namespace sluice::cuda {

namespace {

using Clock = DeviceHealth::Clock;

// A device that already holds copies also takes segments of this many subscriptions: side by side, they cost a batch
// less there than on the CPU.
constexpr std::size_t rows_beside_min = 256;

constexpr std::chrono::milliseconds look_again{250};  // while anything is left to copy or revive

std::string name_of(const MatchingDevice& device) { return "device " + std::to_string(device.number()); }

// Records that this segment or batch is refused. The next one may still succeed.
void refuse(DeviceHealth& health, const std::exception& error) noexcept {
    health.succeeded();
    health.note(error.what(), Clock::now());
}

// For functions of the engine's user.
template <class Call>
void call_safely(Call call) noexcept {
    try {
        call();
    } catch (...) {  // must not end the keeper's thread or a match
    }
}

}  // namespace

DeviceKeeper::DeviceKeeper(const engine::EngineOptions& options) : options_(options) {
    std::vector<int> numbers = options.devices;
    if (numbers.empty()) numbers.push_back(0);
    for (const int number : numbers)
        devices_.push_back(std::make_shared<MatchingDevice>(number, options.device_bytes_max));
    operators_ = std::make_shared<CudaOperatorDevices>(
        devices_, options, [this](MatchingDevice& device, std::uint32_t generation, const CudaError& error) {
            note_fault(device, device.operating, generation, error);
        });
    for (const auto& device : devices_) {
        device->set_on_loss([this] {
            const std::lock_guard lock(mutex_);
            schedule(due_soon_, {});
        });
    }
    try {
        worker_.post([] {});  // starts the thread now: later there may be no memory for it
    } catch (const std::exception&) {
    }
}

// Operators may outlive the keeper, but report no faults to it after close().
DeviceKeeper::~DeviceKeeper() {
    for (const auto& device : devices_) device->set_on_loss(nullptr);
    operators_->close();
}

void DeviceKeeper::mirror(const cpu::Segment& segment) noexcept {
    if (!is_worth_copies(segment)) return;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
        if (lacks_copy(segment, d) && copy_state(segment, d).again <= Clock::now() &&
            devices_[d]->copying.can_attempt(Clock::now()))
            copy(segment, d);
    }
}

void DeviceKeeper::keep(std::span<const cpu::ProgramPart> parts) {
    std::vector<std::weak_ptr<const cpu::Segment>> kept;
    bool complete = true;
    for (const cpu::ProgramPart& part : parts) {
        if (!is_worth_copies(*part.segment)) continue;
        kept.push_back(part.segment);
        complete &= !lacks_copies(*part.segment);
    }
    const std::lock_guard lock(mutex_);
    kept_.swap(kept);
    // If no device can take copies, some are always missing. A later look by the worker is then already scheduled.
    if (!complete && !due_later_) schedule(due_soon_, {});
}

std::vector<std::weak_ptr<const cpu::Segment>> DeviceKeeper::kept() const {
    const std::lock_guard lock(mutex_);
    return kept_;
}

bool DeviceKeeper::is_worth_copies(const cpu::Segment& segment) const {
    if (segment.size() >= options_.device_rows_min) return true;
    return segment.size() >= rows_beside_min &&
           std::any_of(devices_.begin(), devices_.end(), [](const auto& device) { return device->copies > 0; });
}

bool DeviceKeeper::lacks_copies(const cpu::Segment& segment) const {
    for (std::size_t d = 0; d < devices_.size(); ++d) {
        if (lacks_copy(segment, d)) return true;
    }
    return false;
}

void DeviceKeeper::copy(const cpu::Segment& segment, std::size_t d) noexcept {
    try {
        CopyState result = try_to_copy(segment, d);
        const std::lock_guard lock(attaching_);
        set_copy_state(segment, d, devices_.size(), std::move(result));
    } catch (const std::exception& error) {
        devices_[d]->copying.failed(error.what(), Clock::now());
    }
}

CopyState DeviceKeeper::try_to_copy(const cpu::Segment& segment, std::size_t d) {
    MatchingDevice& device = *devices_[d];
    const std::uint32_t generation = device.generation();
    CopyState result = copy_state(segment, d);
    try {
        device.open();
        result = {device.copy(segment)};
        device.copying.succeeded();
    } catch (const CudaError& error) {
        if (!error.out_of_memory()) {
            note_fault(device, device.copying, generation, error);
            return result;
        }
        note_lack_of_memory(device, device.copying, error);  // a smaller segment may fit
        result.again = Clock::now() + result.pause;
        result.pause = std::min(2 * result.pause, DeviceHealth::pause_max);
    } catch (const std::logic_error& error) {  // std::length_error and the like: a retry would fail, too
        refuse(device.copying, error);
        result.never = true;
    }
    return result;
}

void DeviceKeeper::note_fault(MatchingDevice& device, DeviceHealth& health, std::uint32_t generation,
                              const CudaError& error) noexcept {
    cudaGetLastError();
    if (is_lasting(error.code()) || context_error(device.number()) != cudaSuccess)
        device.lose(generation, error.what());
    else
        health.failed(error.what(), Clock::now());
    tell(device, error);
}

void DeviceKeeper::note_lack_of_memory(const MatchingDevice& device, DeviceHealth& health,
                                       const CudaError& error) noexcept {
    cudaGetLastError();
    refuse(health, error);
    tell(device, error);
}

std::map<std::string, std::uint64_t> DeviceKeeper::faults() const {
    const std::lock_guard lock(mutex_);
    return faults_;
}

void DeviceKeeper::tell(const MatchingDevice& device, const CudaError& error) noexcept {
    call_safely([&] {
        const std::lock_guard lock(mutex_);
        ++faults_[cudaGetErrorName(error.code())];
    });
    call_safely([&] {
        if (options_.on_fault) options_.on_fault(name_of(device) + ": " + error.what());
    });
}

// The caller holds mutex_. `due` is due_soon_ or due_later_.
void DeviceKeeper::schedule(bool& due, std::chrono::milliseconds delay) noexcept {
    if (due) return;
    try {
        worker_.post([this, &due] { look(due); }, delay);
        due = true;
    } catch (const std::exception&) {  // no memory, or no thread
        missed_ = true;
    }
}

void DeviceKeeper::catch_up() noexcept {
    if (!missed_.load(std::memory_order_relaxed) || !missed_.exchange(false)) return;
    const std::lock_guard lock(mutex_);
    schedule(due_soon_, {});
}

// Runs on the worker's thread, and again after a while if anything is left to do.
void DeviceKeeper::look(bool& due) noexcept {
    {
        const std::lock_guard lock(mutex_);
        due = false;
    }
    bool is_done = false;
    try {
        is_done = look();
    } catch (const std::exception&) {  // no memory for a list of segments, for example
    }
    if (is_done) return;
    const std::lock_guard lock(mutex_);
    schedule(due_later_, look_again);
}

// Copies segments that lack copies and revives lost devices, if an attempt is due. Returns whether nothing is left to
// do.
bool DeviceKeeper::look() {
    const bool all_live = revive_devices(), all_copied = copy_all(kept());
    return all_live && all_copied;
}

bool DeviceKeeper::revive_devices() {
    bool all = true;
    for (const auto& device : devices_) {
        if (device->matching.may_revive(Clock::now())) revive(*device);
        all &= !device->matching.is_lost();
    }
    return all;
}

void DeviceKeeper::revive(MatchingDevice& device) {
    const std::uint32_t generation = device.generation();
    try {
        operators_->release(device);
        device.revive();
    } catch (const CudaError& error) {
        cudaGetLastError();
        device.stays_lost(error.what());
        tell(device, error);
        return;
    }
    call_safely([&] {
        if (options_.on_recovery) options_.on_recovery(name_of(device));
    });
    device.revived(generation);
}

// Returns whether nothing is left to copy.
bool DeviceKeeper::copy_all(const std::vector<std::weak_ptr<const cpu::Segment>>& kept) {
    bool all = true;
    for (const auto& weak : kept) {
        const auto segment = weak.lock();
        if (!segment) continue;
        mirror(*segment);
        all &= !lacks_copies(*segment);
    }
    return all;
}

}  // namespace sluice::cuda
