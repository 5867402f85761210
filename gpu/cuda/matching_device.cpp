#include "gpu/cuda/matching_device.hpp"

#include <cstdint>

namespace sluice::cuda {

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
}

std::shared_ptr<const SegmentCopy> MatchingDevice::copy(const cpu::Segment& segment) {
    use();
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
    const auto made = std::make_shared<SegmentCopy>(std::move(tables));
    const std::lock_guard lock(mutex_);
    std::erase_if(made_, [](const std::weak_ptr<SegmentCopy>& copy) { return copy.expired(); });
    made_.push_back(made);
    return made;
}

void MatchingDevice::release() {
    std::vector<std::unique_ptr<BatchSlot>> slots;
    std::vector<std::weak_ptr<SegmentCopy>> made;
    {
        const std::scoped_lock lock(opening_, mutex_);
        open_ = false;
        slots.swap(slots_);
        slots_made_ -= slots.size();
        made.swap(made_);
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
    ++generation_;
}

MatchingDevice::Lease::Lease(MatchingDevice& device) : device_(device) {
    device.use();
    {
        std::unique_lock lock(device.mutex_);
        device.free_.wait(lock, [&] { return !device.slots_.empty() || device.slots_made_ < slots_max; });
        if (!device.slots_.empty()) {
            slot_ = std::move(device.slots_.back());
            device.slots_.pop_back();
        } else {
            ++device.slots_made_;
        }
    }
    if (!slot_) {
        try {
            slot_ = std::make_unique<BatchSlot>();
        } catch (...) {
            const std::lock_guard lock(device.mutex_);
            --device.slots_made_;
            device.free_.notify_one();
            throw;
        }
    }
    ++device.under_way_;
}

MatchingDevice::Lease::~Lease() {
    slot_->abandon();
    --device_.under_way_;
    const std::lock_guard lock(device_.mutex_);
    device_.slots_.push_back(std::move(slot_));
    device_.free_.notify_one();
}

std::string MatchingDevice::name() const {
    const std::lock_guard lock(mutex_);
    return name_;
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
