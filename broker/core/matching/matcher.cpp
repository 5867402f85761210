#include "broker/core/matching/matcher.hpp"

#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>

#include "broker/base/cpu_time.hpp"
#include "broker/base/log.hpp"
#include "broker/base/thread_name.hpp"
#include "broker/core/matching/match_counts.hpp"

namespace sluice::broker {

namespace {

using namespace std::chrono_literals;

// The longest a fast-lane batch may run while events of other streams wait, and the longest estimate of an
// uninterruptible piece of its work.
constexpr std::chrono::milliseconds fast_time{5};
constexpr double fast_piece_ns = 20e6;
constexpr std::chrono::milliseconds look_again_after{1};  // between checks whether other streams wait
// A slow-lane batch within this time does not prolong its stream's stay there.
constexpr std::chrono::milliseconds quick{2};
constexpr int slow_niceness = 10;

struct TooSlow : std::exception {
    const char* what() const noexcept override { return "a batch is left to the slow lane"; }
};

}  // namespace

// A matching thread, with the state that it reuses from batch to batch.
class Matcher::Thread {
public:
    Thread(Matcher& of, Lane lane)
        : of_(of), lane_(lane), matcher_(of.settings_.limits, [this](double ns) { pause(ns); }) {}

    // Returns false when the queue is closed and empty.
    bool serve_batch();

private:
    void pause(double ns);
    bool match(std::span<const feed::Event> events);
    void prepare(std::span<const feed::Event> events);
    void deliver(std::span<const feed::Event> events);
    void serve_parts();
    void lose(std::span<const feed::Event> events, const char* message, const char* reason);

    Matcher& of_;
    const Lane lane_;
    BatchMatcher matcher_;
    QueuedBatch batch_;
    CurrentProgram current_;
    base::WorkTimer took_;  // time of matching the batch
    Clock::time_point look_again_;
    bool matched_ = false;                   // whether the last match() succeeded
    std::optional<PreparedBatch> prepared_;  // its deliveries
    std::exception_ptr not_prepared_;        // why prepared_ is empty, if preparing failed
};

void Matcher::Thread::pause(double ns) {
    if (of_.interrupted_.load(std::memory_order_relaxed)) throw std::runtime_error("interrupted by shutdown");
    if (lane_ == Lane::slow) return;
    if (ns > fast_piece_ns) throw TooSlow();
    const auto now = Clock::now();
    if (now < look_again_) return;
    look_again_ = now + look_again_after;
    if (took_() >= fast_time && of_.queue_.others_wait(batch_)) throw TooSlow();
}

// Returns false if the events must be left to the slow lane.
bool Matcher::Thread::match(std::span<const feed::Event> events) {
    took_ = {};
    const auto begun = Clock::now();
    look_again_ = begun + fast_time;
    matched_ = false;
    try {
        matcher_.match(*current_.program, *current_.extractor, events);
        matched_ = true;
        count_match_time(of_.counters_, lane_, Clock::now() - begun);
    } catch (const TooSlow&) {
        return false;
    } catch (const std::exception& error) {
        lose(events, "batch could not be matched", error.what());
    }
    return true;
}

// Does all work that need not wait for the batch's turn. A failure is reported in the turn.
void Matcher::Thread::prepare(std::span<const feed::Event> events) {
    prepared_.reset();
    not_prepared_ = nullptr;
    if (!matched_) return;
    try {
        prepared_.emplace(of_.fanout_.prepare({events, matcher_.matches(), matcher_.undecided(), current_.number}));
    } catch (const std::exception&) {
        not_prepared_ = std::current_exception();
    }
}

// Counts the costs before the events, so that a reader who sees events counted as matched also sees their cost.
void Matcher::Thread::deliver(std::span<const feed::Event> events) {
    std::exception_ptr failure = not_prepared_;
    if (matched_) {
        try {
            count_scans(of_.counters_, matcher_.scan_cost(), *current_.program);
            count_work(of_.counters_, matcher_.operator_work());
        } catch (const std::exception&) {
            failure = std::current_exception();
        }
    }
    count(of_.counters_.batches);
    count(of_.counters_.events_matched, events.size());
    of_.counters_.batch_events.add(events.size());
    if (!matched_) return;
    try {
        if (failure) std::rethrow_exception(failure);
        of_.fanout_.deliver(*prepared_);
    } catch (const std::exception& error) {
        lose(events, "batch could not be delivered", error.what());
    }
}

void Matcher::Thread::lose(std::span<const feed::Event> events, const char* message, const char* reason) {
    count(of_.counters_.events_lost, events.size());
    base::log_failure(message, reason);
}

// Matches and delivers each stream's events separately, so that slow ones do not delay the others.
void Matcher::Thread::serve_parts() {
    for (std::uint32_t p = 0; p < batch_.parts.size(); ++p) {
        QueuedBatch::Part& part = batch_.parts[p];
        if (!part.hand_over) {
            std::vector<feed::Event> events;
            for (std::size_t e = 0; e < batch_.events.size(); ++e)
                if (batch_.part_of[e] == p) events.push_back(batch_.events[e]);
            part.hand_over = !match(events);
            if (!part.hand_over) {
                prepare(events);
                deliver(events);
            }
            prepared_.reset();  // before its events are destroyed
        }
        if (part.hand_over) count(of_.counters_.handovers);
    }
}

bool Matcher::Thread::serve_batch() {
    prepared_.reset();  // an idle matcher must not keep subscribers, documents or a program alive
    batch_.clear();
    current_ = {};
    matcher_.rest();
    // A subscription in place before an event was published must be in the program that matches it, and if a program
    // matches an event, an older one must not match a later event: a new subscriber would miss that one.
    const auto popped = [this] { current_ = of_.program(); };
    if (!of_.queue_.pop(lane_, of_.settings_.batch_events, of_.settings_.batch_delay, batch_, popped)) return false;
    if (batch_.events.empty()) return true;
    bool took_long = false;
    try {
        const Clock::duration time_max = lane_ == Lane::fast ? 2 * fast_time : quick;
        const bool whole = match(batch_.events);
        took_long = took_() > time_max;
        if (!whole && batch_.parts.size() == 1) batch_.parts.front().hand_over = true;
        const base::WorkTimer preparation;
        if (whole) prepare(batch_.events);
        const std::chrono::nanoseconds prepared_in = preparation();
        of_.queue_.wait_for_turn(batch_);
        const base::WorkTimer delivery;
        const bool none_is_slow = std::none_of(batch_.parts.begin(), batch_.parts.end(),
                                               [](const QueuedBatch::Part& part) { return part.hand_over; });
        if (whole && none_is_slow)
            deliver(batch_.events);
        else
            serve_parts();
        took_long |= prepared_in + delivery() > time_max;  // events with very many subscribers are slow, too
    } catch (const std::exception& error) {
        lose(batch_.events, "batch could not be served", error.what());
    }
    if (const std::size_t lost = of_.queue_.finish(batch_, took_long); lost != 0)
        lose(std::span(batch_.events).first(lost), "events could not be queued again", "out of memory");
    return true;
}

Matcher::Matcher(Settings settings, EventQueue& queue, Fanout& fanout, Counters& counters)
    : settings_(settings), queue_(queue), fanout_(fanout), counters_(counters) {}

Matcher::~Matcher() {
    for (std::thread& thread : threads_) thread.join();
}

// Makes the extractor here, not in the matching threads, since there may be very many names.
void Matcher::set_program(std::shared_ptr<const engine::Program> program, std::uint64_t number) {
    CurrentProgram next = this->program();
    const engine::Dictionary& names = *program->attributes();
    if (!next.program || next.program->attributes()->epoch != names.epoch)
        next.extractor = std::make_shared<const feed::Extractor>(names.names);
    else if (next.program->attributes() != program->attributes())
        next.extractor = std::make_shared<const feed::Extractor>(next.extractor->extended(names.names));
    next.program = std::move(program);
    next.number = number;
    const std::lock_guard lock(program_mutex_);
    std::swap(program_, next);
}

Matcher::CurrentProgram Matcher::program() {
    const std::lock_guard lock(program_mutex_);
    return program_;
}

void Matcher::start() {
    // Each thread is counted once it has started, and none can end while the lock is held. If the system has no more
    // threads, wait_until_done() still waits for those that started. Its state is made here, where failing is reported.
    const std::lock_guard lock(running_mutex_);
    for (const Lane lane : {Lane::fast, Lane::slow}) {
        for (std::size_t i = 0; i < settings_.threads; ++i) {
            threads_.emplace_back([this, lane, state = std::make_unique<Thread>(*this, lane)] { run(lane, *state); });
            ++running_;
        }
    }
}

bool Matcher::wait_until_done(Clock::time_point deadline) {
    std::unique_lock lock(running_mutex_);
    return running_changed_.wait_until(lock, deadline, [this] { return running_ == 0; });
}

void Matcher::run(Lane lane, Thread& thread) {
    base::name_thread(lane == Lane::fast ? "sluiced match" : "sluiced slow");
    // On Linux, this affects only the calling thread.
    if (lane == Lane::slow) setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), slow_niceness);
    for (bool goes_on = true; goes_on;) {
        try {
            goes_on = thread.serve_batch();
        } catch (const std::exception& error) {
            base::log_failure("a matching thread continues after a failure", error.what());
        }
    }
    const std::lock_guard lock(running_mutex_);
    --running_;
    running_changed_.notify_all();
}

}  // namespace sluice::broker
