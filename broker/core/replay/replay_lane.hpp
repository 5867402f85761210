// One lane of replays: a thread that serves its readers in turn, step by step. A step reads some events of a stream
// from where one reader is, and matches them for all readers that are there and ready. Requests may come from any
// thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/delivery/subscriber.hpp"
#include "broker/core/matching/collected.hpp"
#include "broker/core/matching/prepared_batch.hpp"
#include "broker/core/matching/row_permission.hpp"
#include "broker/core/replay/replay_context.hpp"
#include "broker/core/replay/replay_program.hpp"
#include "broker/core/replay/stored_documents.hpp"
#include "broker/store/event_log.hpp"
#include "broker/store/selected_extent.hpp"

namespace sluice::broker {

// A subscriber whose events come from the log for some time. Belongs to its lane's thread.
struct Reader {
    static constexpr std::size_t events_most = 256;  // read in one step
    static constexpr std::size_t again_most = 64;    // found again in one step: each is looked up by itself

    std::shared_ptr<Subscriber> subscriber;
    base::MemoryCharge filter_memory;
    std::shared_ptr<ReplayProgram> program;  // with its filters, and possibly others'
    std::vector<std::uint32_t> beside;       // its filters that look at siblings
    bool is_ready = false;                   // it waits for its turn
    store::KnownDrops told{};                // drops that it was told of, or knew of when it began
    std::uint64_t told_at = 0;               // its `next` when it was last told; 0: it was not
    std::uint64_t looked_at = 0;             // while the log's drops are told.drops, it knows of all from this id on
    std::size_t events_max = events_most;    // of the next step that it leads
    std::size_t again_max = again_most;      // of those that it finds again in one step
    std::uint64_t failed_at = 0;             // an event that can't be matched even by itself

    // In the current step:
    bool rides = false;
    std::uint64_t next = 0;  // it gets events from here on
    std::uint64_t end = 0;   // and below this
    PreparedBatch::Made found{};
    bool is_lost = false;     // its mailbox has refused it
    std::uint32_t place = 0;  // in Collected

    const std::string& stream() const { return subscriber->stream; }
    std::string_view log_stream() const { return stream().empty() ? store::all_streams : std::string_view(stream()); }
};

class ReplayLane {
public:
    // shared: readers share a program and steps; apart: each has its own.
    enum class Kind : std::uint8_t { shared, apart };

    ReplayLane(const ReplaySettings& settings, const ReplayContext& context, Kind kind);
    ~ReplayLane();

    void start();
    void request(const std::shared_ptr<Subscriber>& subscriber);
    void drop_gone() noexcept;  // readers whose subscribers are gone

private:
    static constexpr std::size_t step_bytes = 256u
                                              << 10;  // of the records read in one step, unless the first is larger
    static constexpr std::chrono::milliseconds memory_pause{20};  // when there is no memory for a document
    static constexpr std::uint64_t no_end = ~std::uint64_t{0};

    struct Stopped : std::exception {
        const char* what() const noexcept override { return "interrupted by shutdown"; }
    };
    enum class Found : std::uint8_t { present, gone, erased };  // gone: or it can't be read
    using Readers = std::unordered_map<const Subscriber*, std::unique_ptr<Reader>>;

    void run();
    bool take_requests();
    void accept(const std::shared_ptr<Subscriber>& subscriber);
    std::unique_ptr<Reader> make_reader(const std::shared_ptr<Subscriber>& subscriber);
    void drop(Reader& reader) noexcept;
    void make_ready(Reader& reader);

    void serve_next();
    bool begin_step(Reader& reader);
    void gather(Reader& first);
    store::Slice read_for(const Reader& first);
    void serve(Reader& first);
    void finish(Reader& reader);
    void serve_again(Reader& reader, std::span<const Mailbox::Again> asked);
    void find_again(Reader& reader, std::span<const Mailbox::Again> asked, bool gives_up);
    Found read_again(std::uint64_t id);
    std::vector<Delivery> made_again(Reader& reader, std::span<const Mailbox::Again> asked,
                                     const std::vector<Found>& were);
    std::uint64_t step(const store::Slice& slice, bool gives_up);
    std::uint64_t read_events(const store::Slice& slice, bool gives_up);
    void find();
    bool takes_part(const Reader& reader, std::uint32_t filter, std::uint32_t event) const;
    void collect(const ReplayProgram& program, std::span<const engine::Match> matches, GapReason undecided,
                 Collected& collected);
    void collect_gaps(Collected& collected);
    std::uint32_t place_of(Reader& reader, Collected& collected);
    void know_first(Reader& reader) const;
    bool has_damage_for(const Reader& reader, std::uint64_t last_id) const;
    std::optional<store::KnownDrops> tell_missing(Reader& reader, const store::Slice& slice, std::uint64_t next_id);
    std::uint64_t oldest_of(const Reader& reader) const;
    void tell_reset(Reader& reader, std::uint64_t oldest_id, bool is_damage);
    Delivery make_reset(const Reader& reader, std::uint64_t oldest_id, std::uint64_t first_id) const;
    void push(Reader& reader, const store::Slice& slice, std::uint64_t next_id);
    void join(const std::vector<Reader*>& arrived);
    void pause() const;

    const ReplaySettings settings_;
    const ReplayContext context_;
    const Kind kind_;

    std::mutex mutex_;
    std::condition_variable requested_;
    std::vector<std::shared_ptr<Subscriber>> requests_;
    bool any_gone_ = false;
    std::atomic<bool> stopping_{false};

    // Used by the lane's thread only.
    BatchMatcher matcher_;
    RowPermission rows_;  // decides what users with row filters are told of
    StoredDocuments documents_;
    Readers readers_;
    std::deque<Reader*> ready_;
    std::shared_ptr<ReplayProgram> shared_program_;
    // Of the current step:
    std::vector<Reader*> riders_;  // for whom it finds events, the one it begins with first
    std::vector<feed::Event> events_;
    std::vector<bool> is_alone_;   // by event: kept without what is beside its item
    bool is_damaged_ = false;      // there is one event, without its document
    std::vector<Reader*> placed_;  // by place in Collected

    std::thread thread_;
};

}  // namespace sluice::broker
