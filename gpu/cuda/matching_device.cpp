#include "gpu/cuda/matching_device.hpp"

#include <cstdint>
#include <map>

#include "gpu/device/renewal.hpp"

namespace sluice::cuda {

MatchingDevice::Shared& MatchingDevice::shared_by(int number) {
    static std::mutex mutex;
    static auto* const all = new std::map<int, Shared>;
    const std::lock_guard lock(mutex);
    return (*all)[number];
}

MatchingDevice::MatchingDevice(int number, std::size_t bytes_max)
    : number_(number), shared_(shared_by(number)), memory_(number, bytes_max) {
    slots_.reserve(slots_max);  // so that giving a slot back can't fail
    const std::lock_guard lock(shared_.mutex);
    shared_.devices.push_back(this);
}

MatchingDevice::~MatchingDevice() {
    const std::lock_guard lock(shared_.mutex);
    std::erase(shared_.devices, this);
}

void MatchingDevice::set_on_loss(std::function<void()> on_loss) {
    const std::lock_guard lock(shared_.mutex);
    on_loss_.swap(on_loss);
}

void MatchingDevice::lose(std::uint32_t generation, std::string_view what) noexcept {
    const std::lock_guard lock(shared_.mutex);
    if (generation != shared_.losses) return;
    ++shared_.losses;
    for (MatchingDevice* const device : shared_.devices) {
        device->stays_lost(what);
        if (device->on_loss_) device->on_loss_();
    }
}

void MatchingDevice::stays_lost(std::string_view what) noexcept {
    const auto now = DeviceHealth::Clock::now();
    for (DeviceHealth* const health : {&matching, &copying, &operating}) health->lose(what, now);
}

void MatchingDevice::revived(std::uint32_t generation) noexcept {
    const std::lock_guard lock(shared_.mutex);
    if (generation != shared_.losses) return;
    for (DeviceHealth* const health : {&matching, &copying, &operating}) health->revived();
}

void MatchingDevice::use() const { check(cudaSetDevice(number_), "cudaSetDevice"); }

void MatchingDevice::open() {
    const std::lock_guard opening(opening_);
    if (open_) return;
    int count = 0;
    check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    check(number_ < count ? cudaSuccess : cudaErrorInvalidDevice,
          ("device " + std::to_string(number_) + " of " + std::to_string(count)).c_str());
    use();
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, number_), "cudaGetDeviceProperties");
    {
        const std::lock_guard lock(mutex_);
        name_ = properties.name;
    }
    // Freed memory stays in the pool: segments come and go, and returning it to the system waits for the device.
    cudaMemPool_t pool = nullptr;
    check(cudaDeviceGetDefaultMemPool(&pool, number_), "cudaDeviceGetDefaultMemPool");
    std::uint64_t threshold = std::uint64_t{1} << 30;
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), "cudaMemPoolSetAttribute");
    open_ = true;
    measure_memory();
}

std::shared_ptr<const SegmentCopy> MatchingDevice::copy(const cpu::Segment& segment) {
    use();
    const LimitedWaits limited;
    std::shared_ptr<const SegmentTables> tables;
    {
        const std::lock_guard lock(uploading_);
        if (!uploader_) uploader_ = std::make_unique<Uploader>();
        const auto* const built = new SegmentTables(segment, memory_, *uploader_);
        ++copies;
        tables = {built, [device = shared_from_this()](const SegmentTables* t) {  // the device owns the pool
                      --device->copies;
                      delete t;
                  }};
    }
    measure_memory();
    const auto made = std::make_shared<SegmentCopy>(std::move(tables));
    const std::lock_guard lock(mutex_);
    std::erase_if(made_, [](const std::weak_ptr<SegmentCopy>& copy) { return copy.expired(); });
    made_.push_back(made);
    return made;
}

void MatchingDevice::release() {
    std::vector<std::unique_ptr<BatchSlot>> slots;
    slots.reserve(slots_max);
    std::vector<std::weak_ptr<SegmentCopy>> made;
    {
        const std::scoped_lock lock(opening_, mutex_);
        open_ = false;
        slots.swap(slots_);
        slots_made_ -= slots.size();
        made.swap(made_);
        memory_use_ = {};
    }
    for (const auto& weak : made) {
        if (const auto copy = weak.lock()) copy->drop();
    }
    const std::lock_guard lock(uploading_);
    uploader_.reset();
}

void MatchingDevice::revive() {
    release();
    renew_context(number_);
    open();
}

std::unique_ptr<BatchSlot> MatchingDevice::take_slot() {
    std::unique_lock lock(mutex_);
    const auto may_make = [this] {
        return slots_made_ == 0 || (slots_made_ < slots_max && DeviceHealth::Clock::now() >= more_slots_at_);
    };
    const bool found =
        free_.wait_for(lock, wait_limit.load(), [&] { return matching.is_lost() || !slots_.empty() || may_make(); });
    if (!found || matching.is_lost()) throw BeyondLimit("no slot is free");
    if (slots_.empty()) {
        ++slots_made_;
        return nullptr;
    }
    std::unique_ptr<BatchSlot> slot = std::move(slots_.back());
    slots_.pop_back();
    return slot;
}

std::size_t MatchingDevice::forget_slot(bool lacks_memory) noexcept {
    const std::lock_guard lock(mutex_);
    if (lacks_memory) more_slots_at_ = DeviceHealth::Clock::now() + no_slots_made;
    free_.notify_all();
    return --slots_made_;
}

MatchingDevice::Lease::Lease(MatchingDevice& device) : device_(device) { ++device.under_way_; }

MatchingDevice::Lease::Lease(MatchingDevice& device, const engine::EventBatch& batch,
                             std::span<const SegmentTables* const> segments, const BatchLimits& limits)
    : Lease(device) {
    device.use();
    try {
        take();
        slot_->begin(batch, segments, limits);
    } catch (const CudaError& error) {
        if (!error.out_of_memory() || !give_up_for_lack_of_memory()) throw;
        take();
        slot_->begin(batch, segments, limits);
    }
}

void MatchingDevice::Lease::take() {
    slot_ = device_.take_slot();
    if (slot_) return;
    try {
        slot_ = std::make_unique<BatchSlot>();
    } catch (const CudaError& error) {
        device_.forget_slot(error.out_of_memory());
        throw;
    } catch (...) {
        device_.forget_slot(false);
        throw;
    }
}

// Returns whether there are other slots, which have their memory.
bool MatchingDevice::Lease::give_up_for_lack_of_memory() {
    cudaGetLastError();
    if (slot_) {
        slot_->abandon();
        slot_.reset();
        return device_.forget_slot(true) > 0;
    }
    const std::lock_guard lock(device_.mutex_);
    return device_.slots_made_ > 0;
}

MatchingDevice::Lease::~Lease() {
    --device_.under_way_;
    if (!slot_) return;
    if (!slot_->abandon()) {
        slot_.reset();
        device_.forget_slot(false);
        return;
    }
    const std::lock_guard lock(device_.mutex_);
    device_.slots_.push_back(std::move(slot_));
    device_.free_.notify_one();
}

std::string MatchingDevice::name() const {
    const std::lock_guard lock(mutex_);
    return name_;
}

MatchingDevice::MemoryUse MatchingDevice::memory_use() const {
    const std::lock_guard lock(mutex_);
    return memory_use_;
}

void MatchingDevice::measure_memory_if_due() noexcept {
    const auto now = DeviceHealth::Clock::now();
    auto due = memory_due_.load(std::memory_order_relaxed);
    if (now >= due && memory_due_.compare_exchange_strong(due, now + memory_measured_every)) measure_memory();
}

void MatchingDevice::measure_memory() noexcept {
    std::size_t available = 0, total = 0;
    const bool is_known = cudaMemGetInfo(&available, &total) == cudaSuccess;
    if (!is_known) cudaGetLastError();
    const std::lock_guard lock(mutex_);
    memory_use_ = is_known ? MemoryUse{total, total - available} : MemoryUse{};
}

void MatchingDevice::sample(double seconds, std::size_t count) {
    const std::lock_guard lock(mutex_);
    sample_.seconds += seconds;
    sample_.events += count;
}

MatchingDevice::Sample MatchingDevice::sampled() const {
    const std::lock_guard lock(mutex_);
    return sample_;
}

}  // namespace sluice::cuda
