#include "gpu/operators/choosing_family.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace sluice::operators {

namespace {

using Processor = ProcessorChoice::Processor;

// The number of leading pairs for a trial, rounded up to whole texts.
std::size_t size_of_trial(std::span<const OperatorFamily::Pair> pairs) {
    std::size_t n = pairs.size() / ChoosingFamily::trial_share + 1;
    while (n < pairs.size() && pairs[n].text == pairs[n - 1].text) ++n;
    return std::min(n, pairs.size());
}

}  // namespace

// The family's copies, by device. Shared with the tasks that make them.
class ChoosingFamily::Copies : public std::enable_shared_from_this<Copies> {
public:
    struct Lease {
        std::size_t device;
        std::unique_ptr<DeviceFamily> copy;
    };

    Copies(OperatorFamilyKind kind, std::unique_ptr<const OperatorFamily> family, OperatorDevices& devices,
           std::chrono::milliseconds waits_max)
        : kind_(kind),
          family_(std::move(family)),
          devices_(devices),
          waits_max_(waits_max),
          of_device_(devices.size()) {
        for (OfDevice& copies : of_device_) copies.free.reserve(copies_max);  // so that give_back() does not allocate
        order_.reserve(of_device_.size());                                    // nor take()
    }

    const OperatorFamily& family() const { return *family_; }

    // Starts copies on devices that have none. If `patient`, waits until there is a copy, none can be made, or making
    // one takes too long.
    void prepare(bool patient) {
        std::unique_lock lock(mutex_);
        for (std::size_t d = 0; d < of_device_.size(); ++d) {
            if (of_device_[d].made == 0) want(d);
        }
        if (patient) changed_.wait_for(lock, waits_max_, [&] { return has_copies() || !is_making(); });
    }

    // Takes a copy on the least busy usable device; empty if there is none. If all copies there are in use, starts
    // another one and waits for a free one; empty if that takes too long.
    std::optional<Lease> take() {
        std::unique_lock lock(mutex_);
        const std::size_t device = least_busy();
        if (device == of_device_.size()) return std::nullopt;
        OfDevice& copies = of_device_[device];
        if (copies.free.empty() && copies.made < copies_max) want(device);
        changed_.wait_for(lock, waits_max_, [&] { return !copies.free.empty() || copies.made == 0; });
        if (copies.free.empty()) return std::nullopt;
        Lease lease{device, std::move(copies.free.back())};
        copies.free.pop_back();
        return lease;
    }

    void give_back(Lease lease) {
        const std::lock_guard lock(mutex_);
        of_device_[lease.device].free.push_back(std::move(lease.copy));
        changed_.notify_all();
    }

    // Drops the copy after a failure, along with the unused ones: these may be what fills the device's memory.
    void drop(Lease lease) {
        std::array<std::unique_ptr<DeviceFamily>, copies_max> dropped;
        const std::lock_guard lock(mutex_);
        OfDevice& copies = of_device_[lease.device];
        copies.made -= copies.free.size() + 1;
        std::move(copies.free.begin(), copies.free.end(), dropped.begin());
        copies.free.clear();  // keeps its capacity
        changed_.notify_all();
    }

private:
    struct OfDevice {
        std::vector<std::unique_ptr<DeviceFamily>> free;
        std::size_t made = 0;
        bool making = false;
    };

    bool has_copies() const {
        for (const OfDevice& d : of_device_) {
            if (d.made > 0) return true;
        }
        return false;
    }
    bool is_making() const {
        for (const OfDevice& d : of_device_) {
            if (d.making) return true;
        }
        return false;
    }
    // The least busy usable device that has a copy; the number of devices if there is none.
    std::size_t least_busy() {
        order_.clear();
        for (std::size_t d = 0; d < of_device_.size(); ++d) {
            if (of_device_[d].made > 0) order_.push_back(d);
        }
        std::stable_sort(order_.begin(), order_.end(),
                         [&](std::size_t a, std::size_t b) { return devices_.under_way(a) < devices_.under_way(b); });
        const auto first =
            std::find_if(order_.begin(), order_.end(), [&](std::size_t d) { return devices_.can_attempt(d); });
        return first == order_.end() ? of_device_.size() : *first;
    }

    void want(std::size_t device) {
        OfDevice& copies = of_device_[device];
        if (copies.making || !devices_.can_attempt(device)) return;
        try {
            devices_.post([self = weak_from_this(), device] {
                if (const std::shared_ptr<Copies> copies_alive = self.lock()) copies_alive->make(device);
            });
            copies.making = true;  // only after post(): others wait for the task to end
        } catch (const std::exception& error) {
            devices_.failed(device, error);  // no thread or no memory: the CPU continues
        }
    }

    void make(std::size_t device) {
        std::unique_ptr<DeviceFamily> copy;
        try {
            copy = devices_.make(device, kind_, *family_);
            devices_.succeeded(device);
        } catch (const std::exception& error) {
            devices_.failed(device, error);
        }
        const std::lock_guard lock(mutex_);
        OfDevice& copies = of_device_[device];
        copies.making = false;
        if (copy) {
            copies.free.push_back(std::move(copy));
            ++copies.made;
        }
        changed_.notify_all();
    }

    const OperatorFamilyKind kind_;
    const std::unique_ptr<const OperatorFamily> family_;
    OperatorDevices& devices_;
    const std::chrono::milliseconds waits_max_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::size_t> order_;
    std::vector<OfDevice> of_device_;  // last member: the copies refer to the family
};

ChoosingFamily::ChoosingFamily(OperatorFamilyKind kind, std::unique_ptr<const OperatorFamily> family,
                               std::shared_ptr<OperatorDevices> devices, std::chrono::milliseconds waits_max)
    : kind_(kind),
      devices_(std::move(devices)),
      copies_(std::make_shared<Copies>(kind, std::move(family), *devices_, waits_max)) {}

ChoosingFamily::~ChoosingFamily() = default;

void ChoosingFamily::evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                              std::span<std::uint8_t> holds, OperatorWork& work) const {
    const double cells = copies_->family().device_cells(texts, pairs);
    const auto choice = devices_->record(kind_).choice.choose(cells);
    if (choice == Processor::device && evaluate_on_device(cells, texts, pairs, holds, work)) return;
    const std::size_t on_cpu = choice == Processor::cpu && choice.is_trial ? size_of_trial(pairs) : pairs.size();
    if (on_cpu == pairs.size()) return evaluate_on_cpu(cells, texts, pairs, holds, work);
    for (const bool first : {true, false}) {
        const auto part = first ? pairs.first(on_cpu) : pairs.subspan(on_cpu);
        const auto holds_of_part = first ? holds.first(on_cpu) : holds.subspan(on_cpu);
        const double cells_of_part = copies_->family().device_cells(texts, part);
        if (first || !evaluate_on_device(cells_of_part, texts, part, holds_of_part, work))
            evaluate_on_cpu(cells_of_part, texts, part, holds_of_part, work);
    }
}

void ChoosingFamily::evaluate_on_cpu(double cells, std::span<const std::string_view> texts, std::span<const Pair> pairs,
                                     std::span<std::uint8_t> holds, OperatorWork& work) const {
    OperatorDevices::Record& record = devices_->record(kind_);
    const double start_us = devices_->now_us();
    copies_->family().evaluate(texts, pairs, holds, work);
    record.choice.record(cells, Processor::cpu, devices_->now_us() - start_us);
    ++record.cpu_batches;
}

bool ChoosingFamily::evaluate_on_device(double cells, std::span<const std::string_view> texts,
                                        std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                                        OperatorWork& work) const {
    const double start_us = devices_->now_us();
    const bool succeeded = try_device(cells, texts, pairs, holds, work);
    work.time_of(kind_).device_ns += static_cast<std::uint64_t>(1e3 * (devices_->now_us() - start_us));
    return succeeded;
}

bool ChoosingFamily::try_device(double cells, std::span<const std::string_view> texts, std::span<const Pair> pairs,
                                std::span<std::uint8_t> holds, OperatorWork& work) const {
    OperatorDevices::Record& record = devices_->record(kind_);
    copies_->prepare(record.choice.predict(cells, Processor::cpu) > patience_us);
    const double start_us = devices_->now_us();  // excludes making a copy (done once), includes waiting for a busy one
    auto lease = copies_->take();
    if (!lease) return false;
    OperatorWork done;
    try {
        lease->copy->evaluate(texts, pairs, holds, done);
    } catch (const std::exception& error) {
        devices_->failed(lease->device, error);
        copies_->drop(std::move(*lease));
        ++record.repeated;
        return false;
    }
    devices_->succeeded(lease->device);
    copies_->give_back(std::move(*lease));
    record.choice.record(cells, Processor::device, devices_->now_us() - start_us);
    ++record.device_batches;
    work += done;
    return true;
}

}  // namespace sluice::operators
