#include "broker/base/memory_keeper.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/memory/machine_memory.hpp"
#include "broker/base/memory/memory_reserve.hpp"
#include "broker/base/thread_name.hpp"

namespace sluice::base {

namespace {

constexpr std::size_t idle_share = 64;  // the broker is idle if at most 1/64 of the bound is charged

// Trimming walks the free memory and blocks allocating threads meanwhile, so it must be worth the cost.
constexpr std::size_t trim_share = 16;                      // trim if 1/16 of the bound is overhead
constexpr std::chrono::milliseconds first_trim_pause{500};  // after a trim that released much
constexpr std::chrono::milliseconds near_trim_pause{100};   // the same while the process is near the bound
constexpr std::chrono::seconds last_trim_pause{16};         // after several trims that released little

}  // namespace

MemoryKeeper::MemoryKeeper(MemoryBudget& budget, std::function<void()> relieve)
    : budget_(budget), relieve_(std::move(relieve)), trim_pause_(first_trim_pause) {
    observe();
    MemoryReserve::fill();
    thread_ = std::thread([this] { run(); });
}

MemoryKeeper::~MemoryKeeper() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stop_.notify_all();
    thread_.join();
}

void MemoryKeeper::run() {
    name_thread("sluiced memory");
    std::unique_lock lock(mutex_);
    while (!stop_.wait_for(lock, interval, [this] { return stopping_; })) {
        lock.unlock();
        try {
            observe();
            if (is_short()) relieve_();
        } catch (const std::exception& error) {
            log_failure("memory could not be relieved", error.what());
        }
        lock.lock();
    }
}

void MemoryKeeper::observe() {
    const auto charged = [this] {
        const std::size_t overhead = budget_.used(MemoryUse::overhead), used = budget_.used();
        return used > overhead ? used - overhead : 0;
    };
    const std::size_t before = charged();
    const std::size_t resident = resident_memory();
    if (resident == 0) return;
    // The measurement may include charges made just before or after it.
    const std::size_t accounted = std::max(before, charged());
    std::size_t overhead = estimate_.update(resident, accounted);
    budget_.set_idle_overhead(idle_estimate_.update(overhead, accounted, budget_.bytes_max() / idle_share));
    // Near the bound, what is seen counts at once.
    const bool is_near = resident > budget_.ceiling(MemoryUse::bodies);
    if (is_near && resident > accounted) overhead = std::max(overhead, resident - accounted);
    budget_.set_overhead(overhead);
    give_back(overhead, is_near);
}

bool MemoryKeeper::is_short() {
    const bool refused = std::exchange(refusals_, budget_.refusals()) != budget_.refusals();
    return refused || budget_.used() > budget_.ceiling(MemoryUse::documents);
}

void MemoryKeeper::give_back(std::size_t overhead, bool is_near) {
    const Clock::time_point now = Clock::now();
    if (overhead < budget_.bytes_max() / trim_share || now < next_trim_) return;
    const std::size_t before = resident_memory();
    return_free_memory();
    const std::size_t after = resident_memory();
    const bool much = after < before - before / trim_share;
    trim_pause_ = much ? first_trim_pause : std::min<Clock::duration>(trim_pause_ * 2, last_trim_pause);
    next_trim_ = now + (is_near && much ? near_trim_pause : trim_pause_);
}

}  // namespace sluice::base
