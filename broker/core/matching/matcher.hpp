// The matching threads. They take batches from the queue, extract the values that the program's filters read, match
// them, prepare the deliveries, and deliver these in turn. Each stream is delivered in order, however many threads
// there are. Half of the threads, with lower priority, serve the slow lane: batches that would delay the events of
// other streams are left to them. The threads stop when the queue is closed and empty.
//
// The thread that has published a few events may match them itself while a matching thread sleeps: waking that would
// cost more. Its batch has the next tickets, like any other.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "broker/core/counters.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/matching/fanout.hpp"
#include "broker/match/batch_matcher.hpp"
#include "gpu/api/matcher.hpp"

namespace sluice::broker {

class Matcher {
public:
    struct Settings {
        std::size_t threads;  // of each lane
        std::size_t batch_events;
        std::chrono::microseconds batch_delay;
        BatchLimits limits = {};
        // Whether publishing threads may match; they do so only while no filter has scanned or computed conditions, as
        // far as `limits` names the owners of these.
        bool by_publishers = false;
    };

    Matcher(Settings settings, EventQueue& queue, Fanout& fanout, Counters& counters);
    ~Matcher();  // the queue must be closed

    // Matches batches taken from now on with this program. One thread at a time; must be called before start().
    void set_program(std::shared_ptr<const engine::Program> program);

    void start();  // throws if a thread cannot be started; others may already run
    // For a thread that has pushed events with EventQueue::Wake::later: matches and delivers them, or wakes a matching
    // thread. Waits for no other thread, and holds no lock that publishers take.
    void hand_over() noexcept;
    // Waits until everything is delivered after the queue has been closed. Returns false at the deadline.
    bool wait_until_done(std::chrono::steady_clock::time_point deadline);
    // Abandons the batches being matched, as soon as they reach a pause.
    void interrupt() { interrupted_ = true; }

private:
    using Clock = std::chrono::steady_clock;

    class Thread;
    struct CurrentProgram {
        std::shared_ptr<const engine::Program> program;
        std::shared_ptr<const feed::Extractor> extractor;  // for the program's attributes
    };
    // What publishing threads match with, one at a time.
    struct Publishing {
        std::atomic_flag is_taken;
        std::unique_ptr<Thread> thread;  // null: they don't match
        Clock::time_point again_from{};  // after a batch that took long, or a device
    };

    CurrentProgram program();
    bool match_for_publisher();
    void run(Lane lane, Thread& thread);

    const Settings settings_;
    EventQueue& queue_;
    Fanout& fanout_;
    Counters& counters_;

    std::atomic<bool> interrupted_{false};

    std::mutex program_mutex_;
    CurrentProgram program_;
    CurrentProgram former_;              // kept for publishing threads; used by set_program() alone
    std::atomic<bool> is_cheap_{false};  // no filter of the program has scanned or computed conditions

    Publishing publishing_;

    std::mutex running_mutex_;
    std::condition_variable running_changed_;
    std::size_t running_ = 0;  // threads

    std::vector<std::thread> threads_;
};

}  // namespace sluice::broker
