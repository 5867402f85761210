#include "gpu/cuda/operator_devices.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpu/operators/cuda_families.hpp"

namespace sluice::cuda {

struct CudaOperatorDevices::Device {
    const std::shared_ptr<MatchingDevice> matching;
    std::atomic<std::size_t> under_way = 0;
    std::atomic<std::uint64_t> batches = 0;

    std::mutex mutex = {};
    std::vector<OnDevice*> copies = {};  // all copies of families on the device
};

namespace {

// While it lives, makes the device the calling thread's current one, charges the thread's allocations to its memory
// pool, and limits the thread's waits.
class Turn {
public:
    explicit Turn(MatchingDevice& device) : number_(device.number()), charged_(device.memory()) {
        if (cudaGetDevice(&before_) != cudaSuccess) before_ = number_;
        device.use();
    }
    Turn(const Turn&) = delete;
    ~Turn() {
        if (before_ != number_) cudaSetDevice(before_);
        cudaGetLastError();
    }

private:
    const int number_;
    const Charged charged_;
    const LimitedWaits limited_;
    int before_ = 0;
};

class UnderWay {
public:
    explicit UnderWay(std::atomic<std::size_t>& count) : count_(count) { ++count_; }
    UnderWay(const UnderWay&) = delete;
    ~UnderWay() { --count_; }

private:
    std::atomic<std::size_t>& count_;
};

std::unique_ptr<operators::DeviceFamily> make_family_here(operators::OperatorFamilyKind kind,
                                                          const operators::OperatorFamily& family, int device) {
    switch (kind) {
        case operators::OperatorFamilyKind::edits:
            return operators::make_cuda_family(dynamic_cast<const operators::EditsFamily&>(family));
        case operators::OperatorFamilyKind::alignment:
            return operators::make_cuda_family(dynamic_cast<const operators::AlignmentFamily&>(family));
        case operators::OperatorFamilyKind::recurrence:
            return operators::make_cuda_family(dynamic_cast<const operators::RecurrenceFamily&>(family), device);
        case operators::OperatorFamilyKind::regex:
            break;
    }
    throw std::invalid_argument("no device evaluates regular expressions");
}

// A CUDA error, with the generation of the device in which the failed work was begun.
class Fault : public CudaError {
public:
    Fault(const CudaError& error, std::uint32_t when) : CudaError(error), generation(when) {}
    const std::uint32_t generation;
};

template <class Work>
void marking_faults(const MatchingDevice& device, Work work) {
    const std::uint32_t generation = device.generation();
    try {
        work();
    } catch (const CudaError& error) {
        throw Fault(error, generation);
    }
}

}  // namespace

// close() waits until there is none.
class CudaOperatorDevices::Notice {
public:
    explicit Notice(CudaOperatorDevices& devices) : devices_(devices) {
        const std::lock_guard lock(devices_.mutex_);
        ++devices_.notices_;
        is_allowed = !devices_.closed_ && devices_.on_fault_;
    }
    Notice(const Notice&) = delete;
    ~Notice() {
        const std::lock_guard lock(devices_.mutex_);
        if (--devices_.notices_ == 0) devices_.noticed_.notify_all();
    }

    bool is_allowed = false;

private:
    CudaOperatorDevices& devices_;
};

// A family's copy, until the device drops it.
class CudaOperatorDevices::OnDevice final : public operators::DeviceFamily {
public:
    OnDevice(std::shared_ptr<Device> device, operators::OperatorFamilyKind kind,
             const operators::OperatorFamily& family)
        : device_(std::move(device)), kind_(kind), family_(family) {
        prepare();
        const std::lock_guard lock(device_->mutex);
        device_->copies.push_back(this);
    }
    ~OnDevice() override {
        const std::lock_guard lock(device_->mutex);
        std::erase(device_->copies, this);
    }

    void evaluate(std::span<const std::string_view> texts, std::span<const operators::OperatorFamily::Pair> pairs,
                  std::span<std::uint8_t> holds, operators::OperatorWork& work) override {
        const std::lock_guard lock(mutex_);
        const UnderWay under_way(device_->under_way);
        if (!copy_) prepare();
        marking_faults(*device_->matching, [&] {
            const Turn turn(*device_->matching);
            copy_->evaluate(texts, pairs, holds, work);
            device_->matching->measure_memory_if_due();
        });
        ++device_->batches;
    }

    void release() {
        const std::lock_guard lock(mutex_);
        copy_.reset();
    }

private:
    void prepare() {
        marking_faults(*device_->matching, [this] {
            device_->matching->open();
            const Turn turn(*device_->matching);
            copy_ = make_family_here(kind_, family_, device_->matching->number());
        });
    }

    const std::shared_ptr<Device> device_;  // its memory is returned to the device
    const operators::OperatorFamilyKind kind_;
    const operators::OperatorFamily& family_;
    std::mutex mutex_;
    std::unique_ptr<operators::DeviceFamily> copy_;
};

CudaOperatorDevices::CudaOperatorDevices(std::vector<std::shared_ptr<MatchingDevice>> devices,
                                         const engine::EngineOptions& options, OnFault on_fault)
    : operators::OperatorDevices(static_cast<double>(options.device_cells_min),
                                 options.backend == engine::Backend::automatic),
      on_fault_(std::move(on_fault)) {
    for (auto& device : devices) devices_.emplace_back(new Device{std::move(device)});
}

CudaOperatorDevices::~CudaOperatorDevices() = default;

void CudaOperatorDevices::close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    noticed_.wait(lock, [this] { return notices_ == 0; });
}

std::size_t CudaOperatorDevices::under_way(std::size_t device) const {
    return devices_[device]->under_way + devices_[device]->matching->under_way();
}

bool CudaOperatorDevices::can_attempt(std::size_t device) {
    return devices_[device]->matching->operating.can_attempt(DeviceHealth::Clock::now());
}

std::unique_ptr<operators::DeviceFamily> CudaOperatorDevices::make(std::size_t device,
                                                                   operators::OperatorFamilyKind kind,
                                                                   const operators::OperatorFamily& family) {
    return std::make_unique<OnDevice>(devices_[device], kind, family);
}

void CudaOperatorDevices::succeeded(std::size_t device) { devices_[device]->matching->operating.succeeded(); }

void CudaOperatorDevices::failed(std::size_t number, const std::exception& error) {
    MatchingDevice& device = *devices_[number]->matching;
    const auto* const fault = dynamic_cast<const Fault*>(&error);
    const Notice notice(*this);
    if (fault != nullptr && notice.is_allowed)
        on_fault_(device, fault->generation, *fault);
    else
        device.operating.failed(error.what(), DeviceHealth::Clock::now());
}

void CudaOperatorDevices::release(const MatchingDevice& device) {
    for (const auto& d : devices_) {
        if (d->matching.get() != &device) continue;
        const std::lock_guard lock(d->mutex);
        for (OnDevice* const copy : d->copies) copy->release();
    }
}

std::uint64_t CudaOperatorDevices::batches(std::size_t device) const { return devices_[device]->batches; }

std::vector<engine::OperatorStatus> CudaOperatorDevices::status() {
    std::vector<engine::OperatorStatus> result;
    for (std::size_t f = 0; f < operators::operator_families; ++f) {
        const auto kind = static_cast<operators::OperatorFamilyKind>(f);
        const Record& record = this->record(kind);
        if (record.cpu_batches + record.device_batches == 0) continue;
        result.push_back({std::string(operators::name_of(kind)), record.device_batches, record.cpu_batches,
                          record.repeated, record.choice.reason()});
    }
    return result;
}

}  // namespace sluice::cuda
