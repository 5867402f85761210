// The matching threads: take batches from the queue, extract the values that the program's filters read, match, and
// deliver. Batches are delivered in the order in which they were taken, so that every subscriber sees a stream in order
// however many threads there are. Stops when the queue is closed and empty.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "broker/base/counters.hpp"
#include "broker/matching/batch_matcher.hpp"
#include "broker/matching/event_queue.hpp"
#include "broker/matching/fanout.hpp"
#include "gpu/matcher.hpp"

namespace sluice {

class Matcher {
public:
    struct Settings {
        std::size_t threads;
        std::size_t batch_events;
        std::chrono::microseconds batch_delay;
        std::chrono::nanoseconds condition_time_max = std::chrono::nanoseconds::max();  // as BatchMatcher has it
    };

    Matcher(Settings settings, EventQueue& queue, Fanout& fanout, Counters& counters);
    ~Matcher();  // the queue has to be closed

    // Batches taken from now on are matched with this program. Any thread; needed once before start().
    void set_program(std::shared_ptr<const Program> program, std::uint64_t number);

    void start();
    // Waits until all is delivered after the queue has been closed. False: not within the time.
    bool wait_until_done(std::chrono::steady_clock::time_point deadline);
    // Gives up the batches that are being matched, as soon as they get to a pause.
    void interrupt() { interrupted_ = true; }

private:
    struct Batch {
        std::uint64_t number = 0;
        std::vector<Event> events;
        std::shared_ptr<const Program> program;
        std::uint64_t program_number = 0;
    };

    void run();
    bool take(Batch& batch);
    void process(Batch& batch, BatchMatcher& matcher);
    void count_work(const OperatorWork& work);
    void count_scans(const ScanCost& cost, const Program& program);

    const Settings settings_;
    EventQueue& queue_;
    Fanout& fanout_;
    Counters& counters_;

    std::atomic<bool> interrupted_{false};

    // One thread at a time takes a batch, so that the numbers follow the queue's order and programs never go back.
    std::mutex take_mutex_;
    std::uint64_t next_number_ = 0;

    std::mutex program_mutex_;
    std::shared_ptr<const Program> program_;
    std::uint64_t program_number_ = 0;

    std::mutex turn_mutex_;
    std::condition_variable turn_changed_;
    std::uint64_t turn_ = 0;   // the number of the batch that is to be delivered next
    std::size_t running_ = 0;  // threads

    std::vector<std::thread> threads_;
};

}  // namespace sluice
