#include "broker/core/matching/matcher.hpp"

#include <algorithm>
#include <bit>
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
#include "broker/core/matching/row_permission.hpp"
#include "broker/match/scan_owners.hpp"

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
// A publishing thread matches at most so many events at a time. Several of them could be delivered at most so often; of
// one alone, few of very many filters may accept it. What counts is the time: after more than a moment, no publishing
// thread matches for a hundred times as long, so connections wait longer for at most a hundredth of the time.
constexpr std::size_t events_by_publisher_max = 4, deliveries_by_publisher_max = 1'024, targets_max = 16'384;
constexpr std::chrono::microseconds moment{100};
constexpr int rest_after_long = 100;
constexpr std::chrono::milliseconds rest_after_device{100};

std::uint64_t pairs(std::span<const engine::Match> matches) {
    std::uint64_t n = 0;
    for (const engine::Match& match : matches) n += static_cast<std::uint64_t>(std::popcount(match.accepted));
    return n;
}

struct TooSlow : std::exception {
    const char* what() const noexcept override { return "a batch is left to the slow lane"; }
};

}  // namespace

// A matching thread, with the state that it reuses from batch to batch.
class Matcher::Thread {
public:
    enum class Kind : std::uint8_t { matching, publishing };

    Thread(Matcher& of, Lane lane, Kind kind)
        : of_(of),
          lane_(lane),
          kind_(kind),
          matcher_(of.settings_.limits, [this](double ns) { pause(ns); }),
          rows_(of.settings_.limits, [this](double) { check_interrupt(); }) {
        part_events_.reserve(of.settings_.batch_events);
    }

    // Returns false when the queue is closed and empty.
    bool serve_batch();
    // For a publisher: see EventQueue::pop_or_wake(). Returns how long its batch took; none: it got none.
    std::optional<std::chrono::nanoseconds> serve_pushed(std::size_t events_max);
    bool was_on_device() const { return matched_ && matcher_.was_on_device(); }

private:
    using Events = std::span<const feed::Event>;

    void rest();
    void begin_work();
    std::chrono::nanoseconds serve_popped();
    void check_interrupt() const;
    void pause(double ns);
    bool match(Events events);
    // Whether the last match() found nothing to deliver.
    bool found_nothing() const { return matched_ && matcher_.matches().empty() && matcher_.undecided().empty(); }
    PreparedBatch prepare(Events events);
    void prepare_ahead(Events events) noexcept;
    void deliver(Events events) noexcept;
    void deliver_prepared(PreparedBatch& batch) noexcept;
    void deliver_in_halves(Events events) noexcept;
    bool deliver_apart(Events events) noexcept;
    std::uint64_t decided_id(bool whole) const;
    void log_batch(std::chrono::nanoseconds took) const;
    void serve_parts();
    void serve_part(std::uint32_t part);

    Matcher& of_;
    const Lane lane_;
    const Kind kind_;
    BatchMatcher matcher_;
    RowPermission rows_;
    QueuedBatch batch_;
    std::vector<feed::Event> part_events_;  // of one part of the batch
    CurrentProgram current_;
    std::optional<base::WorkTimer> took_;  // since the match began; none: a publisher's
    Clock::time_point look_again_;
    std::uint64_t decided_id_ = 0;           // for Fanout::deliver()
    bool may_be_slow_ = false;               // whether pause() lets the fast lane take its time
    bool matched_ = false;                   // whether the last match() succeeded
    std::optional<PreparedBatch> prepared_;  // its deliveries; none if preparing them failed
};

void Matcher::Thread::check_interrupt() const {
    if (of_.interrupted_.load(std::memory_order_relaxed)) throw std::runtime_error("interrupted by shutdown");
}

void Matcher::Thread::pause(double ns) {
    check_interrupt();
    if (lane_ == Lane::slow || may_be_slow_) return;
    if (ns > fast_piece_ns) throw TooSlow();
    const auto now = Clock::now();
    if (now < look_again_) return;
    look_again_ = now + look_again_after;
    if (took_ && (*took_)() >= fast_time && of_.queue_.others_wait(batch_)) throw TooSlow();
}

// Returns false if the events must be left to the slow lane.
bool Matcher::Thread::match(Events events) {
    const bool is_timed = StageTimes::is_due(Stage::match);
    matcher_.time_extraction(is_timed);
    const auto begun = Clock::now();
    look_again_ = begun + fast_time;
    matched_ = false;
    try {
        matcher_.match(*current_.program, *current_.extractor, events);
        matched_ = true;
        const auto took = Clock::now() - begun;
        count_match_time(of_.counters_, lane_, matcher_.was_on_device() ? Processor::gpu : Processor::cpu, took);
        if (is_timed) {
            of_.counters_.stages.add(Stage::extract, matcher_.extraction_time());
            of_.counters_.stages.add(Stage::match, took - matcher_.extraction_time());
        }
    } catch (const TooSlow&) {
        return false;
    } catch (const std::exception& error) {
        base::log_failure("batch could not be matched", error.what());
    }
    return true;
}

PreparedBatch Matcher::Thread::prepare(Events events) {
    return of_.fanout_.prepare({events, matcher_.matches(), matcher_.undecided(), matcher_.values(), &rows_});
}

// Does all work that need not wait for the batch's turn.
void Matcher::Thread::prepare_ahead(Events events) noexcept {
    prepared_.reset();
    if (!matched_ || found_nothing()) return;
    try {
        prepared_.emplace(prepare(events));
    } catch (const Fanout::TooManyFound&) {  // they are prepared in halves
    } catch (const std::exception& error) {
        base::log_failure("batch's deliveries could not be prepared", error.what());
    }
}

// Counts the costs before the events, so that a reader who sees events counted as matched also sees their cost.
void Matcher::Thread::deliver(Events events) noexcept {
    if (matched_) count_costs(of_.counters_, matcher_, *current_.program);
    count(of_.counters_.batches);
    count(of_.counters_.events_matched, events.size());
    of_.counters_.batch_events.add(events.size());
    if (matched_) count(of_.counters_.matches, pairs(matcher_.matches()));
    if (found_nothing()) return;
    if (prepared_) return deliver_prepared(*prepared_);
    deliver_in_halves(events);
}

// The fan-out itself tells the subscribers that it could not serve.
void Matcher::Thread::deliver_prepared(PreparedBatch& batch) noexcept {
    try {
        of_.fanout_.deliver(batch, decided_id_);
    } catch (const std::exception& error) {
        base::log_failure("batch could not be delivered to all", error.what());
    }
}

// After a failure of the events' batch, perhaps for lack of memory: half of it needs less. If an event fails by itself,
// too, all who might get it are told.
void Matcher::Thread::deliver_in_halves(Events events) noexcept {
    const std::size_t half = (events.size() + 1) / 2;
    for (const Events part : {events.first(half), events.subspan(half)}) {
        if (part.empty() || deliver_apart(part)) continue;
        if (part.size() > 1) {
            deliver_in_halves(part);
            continue;
        }
        of_.fanout_.end_undelivered(*part.front().stream);
        count(of_.counters_.events_lost);
    }
}

// Returns false if nothing was delivered.
bool Matcher::Thread::deliver_apart(Events events) noexcept {
    may_be_slow_ = true;
    bool delivered = false;
    try {
        matcher_.match(*current_.program, *current_.extractor, events);
        count_costs(of_.counters_, matcher_, *current_.program);
        PreparedBatch prepared = prepare(events);
        deliver_prepared(prepared);
        delivered = true;
    } catch (const std::exception& error) {
        if (events.size() == 1) base::log_failure("event could not be matched", error.what());
    }
    may_be_slow_ = false;
    return delivered;
}

// Matches and delivers each stream's events separately, so that slow ones do not delay the others.
void Matcher::Thread::serve_parts() {
    prepared_.reset();
    for (std::uint32_t p = 0; p < batch_.parts.size(); ++p) {
        if (!batch_.parts[p].hand_over) serve_part(p);
        if (batch_.parts[p].hand_over) count(of_.counters_.handovers);
    }
}

void Matcher::Thread::serve_part(std::uint32_t part) {
    std::vector<feed::Event>& events = part_events_;
    events.clear();
    for (std::size_t e = 0; e < batch_.events.size(); ++e)
        if (batch_.part_of[e] == part) events.push_back(batch_.events[e]);
    begin_work();
    if (!match(events)) {
        batch_.parts[part].hand_over = true;
        return;
    }
    prepare_ahead(events);
    deliver(events);
    prepared_.reset();  // before its events are replaced
}

// Only subscribers of all streams need it.
std::uint64_t Matcher::Thread::decided_id(bool whole) const {
    if (!of_.fanout_.serves_all_streams()) return ~std::uint64_t{0};
    return of_.queue_.decided_id_of_all(whole ? &batch_ : nullptr);
}

// An idle matcher must not keep subscribers, documents or a program alive.
void Matcher::Thread::rest() {
    prepared_.reset();
    part_events_.clear();
    batch_.clear();
    current_ = {};
    matcher_.rest();
    rows_.rest();
}

bool Matcher::Thread::serve_batch() {
    rest();
    // A subscription in place before an event was published must be in the program that matches it, and if a program
    // matches an event, an older one must not match a later event: a new subscriber would miss that one.
    const auto popped = [this] { current_ = of_.program(); };
    if (!of_.queue_.pop(lane_, of_.settings_.batch_events, of_.settings_.batch_delay, batch_, popped)) return false;
    if (!batch_.events.empty()) serve_popped();
    return true;
}

std::optional<std::chrono::nanoseconds> Matcher::Thread::serve_pushed(std::size_t events_max) {
    const auto popped = [this] { current_ = of_.program(); };
    if (!of_.queue_.pop_or_wake(events_max, batch_, popped)) return std::nullopt;
    std::chrono::nanoseconds took{};
    try {
        took = serve_popped();
    } catch (...) {
        rest();
        throw;
    }
    rest();
    return took;
}

// For a publisher's few events, asking for CPU time would cost more than it says. The time that passes is not work, so
// no stream moves to the slow lane for it.
void Matcher::Thread::begin_work() {
    if (kind_ == Kind::matching) took_.emplace();
}

// Returns how long it took.
std::chrono::nanoseconds Matcher::Thread::serve_popped() {
    const auto begun = Clock::now();
    if (StageTimes::is_due(Stage::wait)) of_.counters_.stages.add(Stage::wait, batch_.waited(begun));
    begin_work();
    std::optional<base::WorkTimer> work = took_;
    const bool whole = match(batch_.events);
    if (!whole && batch_.parts.size() == 1) batch_.parts.front().hand_over = true;
    if (whole) prepare_ahead(batch_.events);
    const auto waits = Clock::now();
    of_.queue_.wait_for_turn(batch_);
    if (work) work->exclude(Clock::now() - waits);
    const bool none_is_slow = std::none_of(batch_.parts.begin(), batch_.parts.end(),
                                           [](const QueuedBatch::Part& part) { return part.hand_over; });
    decided_id_ = decided_id(whole && none_is_slow);
    if (whole && none_is_slow)
        deliver(batch_.events);
    else
        serve_parts();
    const std::chrono::nanoseconds took = work ? (*work)() : Clock::now() - begun;
    base::log_at(config::LogLevel::trace, [&] { log_batch(took); });
    const bool took_long = work && took > (lane_ == Lane::fast ? 2 * fast_time : quick);
    of_.queue_.finish(batch_, took_long, took);
    return took;
}

void Matcher::Thread::log_batch(std::chrono::nanoseconds took) const {
    const auto handed_over = std::count_if(batch_.parts.begin(), batch_.parts.end(),
                                           [](const QueuedBatch::Part& part) { return part.hand_over; });
    base::log_trace("batch matched",
                    {{"events", batch_.events.size()},
                     {"streams", batch_.parts.size()},
                     {"streams_handed_over", handed_over},
                     {"lane", lane_ == Lane::fast ? "fast" : "slow"},
                     {"microseconds", std::chrono::duration_cast<std::chrono::microseconds>(took).count()}});
}

Matcher::Matcher(Settings settings, EventQueue& queue, Fanout& fanout, Counters& counters)
    : settings_(settings), queue_(queue), fanout_(fanout), counters_(counters) {}

Matcher::~Matcher() {
    for (std::thread& thread : threads_) thread.join();
}

// Makes the extractor here, not in the matching threads, since there may be very many names. Destroys programs here,
// too, not in a publishing thread that has just matched with one: each is kept until the next change.
void Matcher::set_program(std::shared_ptr<const engine::Program> program) {
    CurrentProgram next = this->program();
    const engine::Dictionary& names = *program->attributes();
    if (!next.program || next.program->attributes()->epoch != names.epoch)
        next.extractor = std::make_shared<const feed::Extractor>(names.names);
    else if (next.program->attributes() != program->attributes())
        next.extractor = std::make_shared<const feed::Extractor>(next.extractor->extended(names.names));
    next.program = std::move(program);
    const auto has_none = [](const ScanOwners* owners) { return owners == nullptr || owners->conditions() == 0; };
    is_cheap_ = has_none(settings_.limits.owners) && has_none(settings_.limits.computed_owners);
    {
        const std::lock_guard lock(program_mutex_);
        std::swap(program_, next);
    }
    if (settings_.by_publishers) former_ = std::move(next);
}

Matcher::CurrentProgram Matcher::program() {
    const std::lock_guard lock(program_mutex_);
    return program_;
}

void Matcher::start() {
    // Each thread is counted once it has started, and none can end while the lock is held. If the system has no more
    // threads, wait_until_done() still waits for those that started. Its state is made here, where failing is reported.
    const std::lock_guard lock(running_mutex_);
    if (settings_.by_publishers)
        publishing_.thread = std::make_unique<Thread>(*this, Lane::fast, Thread::Kind::publishing);
    for (const Lane lane : {Lane::fast, Lane::slow}) {
        for (std::size_t i = 0; i < settings_.threads; ++i) {
            auto state = std::make_unique<Thread>(*this, lane, Thread::Kind::matching);
            threads_.emplace_back([this, lane, state = std::move(state)] { run(lane, *state); });
            ++running_;
        }
    }
}

void Matcher::hand_over() noexcept {
    try {
        if (!queue_.is_wake_due() || match_for_publisher()) return;
    } catch (const std::exception& error) {
        base::log_failure("a publishing thread continues after a failure to match", error.what());
    }
    queue_.wake();
}

// Returns false if there may be something left to match.
bool Matcher::match_for_publisher() {
    if (publishing_.thread == nullptr || !is_cheap_.load(std::memory_order_relaxed)) return false;
    if (publishing_.is_taken.test_and_set(std::memory_order_acquire)) return false;
    struct Release {
        std::atomic_flag& flag;
        ~Release() { flag.clear(std::memory_order_release); }
    };
    const Release release{publishing_.is_taken};
    if (publishing_.again_from != Clock::time_point() && Clock::now() < publishing_.again_from) return false;
    const std::size_t targets = std::max<std::size_t>(1, fanout_.targets());
    if (targets > targets_max) return false;
    const std::size_t together = std::max<std::size_t>(1, deliveries_by_publisher_max / targets);
    const auto took =
        publishing_.thread->serve_pushed(std::min({events_by_publisher_max, together, settings_.batch_events}));
    publishing_.again_from = {};
    if (!took) return true;  // a matching thread has been woken, if there was anything
    Clock::duration rest{};
    if (*took > moment) rest = rest_after_long * *took;
    if (publishing_.thread->was_on_device()) rest = std::max<Clock::duration>(rest, rest_after_device);
    if (rest != Clock::duration()) publishing_.again_from = Clock::now() + rest;
    return true;
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
