// One GPU as the backend uses it: its memory, the copies of segments in it, and the slots of the batches under way.
// Opened when first needed, since that may fail and be retried. Any thread; errors are CudaErrors.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gpu/cuda/access_tables.hpp"
#include "gpu/cuda/batch_slot.hpp"
#include "gpu/device/device_health.hpp"

namespace sluice::cuda {

// A segment's copy. It is dropped before the segment if the device is lost.
class SegmentCopy {
public:
    explicit SegmentCopy(std::shared_ptr<const SegmentTables> tables) : tables_(std::move(tables)) {}

    std::shared_ptr<const SegmentTables> tables() const {  // or null
        const std::lock_guard lock(mutex_);
        return tables_;
    }
    void drop() {
        const std::lock_guard lock(mutex_);
        tables_.reset();
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const SegmentTables> tables_;
};

class MatchingDevice : public std::enable_shared_from_this<MatchingDevice> {
public:
    static constexpr std::size_t slots_max = 32;  // batches under way; further batches wait for a slot

    MatchingDevice(int number, std::size_t bytes_max) : number_(number), memory_(number, bytes_max) {}

    // Does nothing if already open.
    void open();
    std::shared_ptr<const SegmentCopy> copy(const cpu::Segment& segment);
    // After a loss: releases everything on the device, the copies included, and opens it anew. Throws CudaError if that
    // fails or batches are still under way; it may be retried then.
    void revive();
    // The number of revivals. Results of work begun in an earlier generation say nothing about the device now.
    std::uint32_t generation() const { return generation_; }

    // Owns a slot until destroyed; the destructor waits for work still under way in it.
    class Lease {
    public:
        explicit Lease(MatchingDevice& device);
        Lease(const Lease&) = delete;
        ~Lease();
        BatchSlot& operator*() { return *slot_; }
        BatchSlot* operator->() { return slot_.get(); }

    private:
        MatchingDevice& device_;
        std::unique_ptr<BatchSlot> slot_;
    };
    std::size_t under_way() const { return under_way_.load(std::memory_order_relaxed); }

    // Makes this the calling thread's current device.
    void use() const;
    int number() const { return number_; }
    std::string name() const;
    std::size_t bytes() const { return memory_.bytes(); }
    MemoryPool& memory() { return memory_; }

    DeviceHealth matching, copying, operating;  // `operating`: for operators (operator_devices.hpp)
    std::atomic<std::size_t> copies = 0;
    std::atomic<std::uint64_t> batches = 0, events = 0;
    void sample(double seconds, std::size_t events);
    struct Sample {
        double seconds = 0;
        std::uint64_t events = 0;
    };
    Sample sampled() const;

private:
    void release();

    const int number_;
    MemoryPool memory_;

    std::mutex opening_;  // may be held for seconds; status queries do not wait for it
    bool open_ = false;

    mutable std::mutex mutex_;  // guards the following members
    std::condition_variable free_;
    std::string name_;
    std::vector<std::unique_ptr<BatchSlot>> slots_;
    std::size_t slots_made_ = 0;
    std::vector<std::weak_ptr<SegmentCopy>> made_;
    Sample sample_;

    std::mutex uploading_;
    std::unique_ptr<Uploader> uploader_;
    std::atomic<std::size_t> under_way_ = 0;
    std::atomic<std::uint32_t> generation_ = 0;
};

}  // namespace sluice::cuda
