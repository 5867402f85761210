// A log with a plain map as its disk, on which tests decide when appends end, and how. What another log on the same map
// has is what a restart finds. One thread.
#pragma once

#include <bit>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/store/event_log.hpp"

namespace sluice::store {

struct Disk {
    struct StreamState {
        std::map<text::Digest, SeenItem> seen;
        std::optional<std::string> definition;
        std::uint64_t last_append = 0, last_id = 0;
    };
    std::map<std::string, StreamState, std::less<>> streams;
    std::map<AttemptId, StoredReply> replies;
    std::map<std::string, std::string> values;
    std::uint64_t appends = 0, last_id = 0;
    std::size_t looked_up = 0;  // identities
    std::vector<SeenItem> noted;
};

class DiskLog : public EventLog, public DurableState {
public:
    using EventLog::Done;

    struct Waiting {
        Attempt attempt;
        Append append;
        Done done;
    };

    explicit DiskLog(Disk& disk) : disk_(disk) {}

    void listen(Listener listener) override { listener_ = std::move(listener); }
    std::optional<AppendResult> append(const Attempt& attempt, Appends appends, Done done) override {
        if (condition == LogState::Condition::failed) return AppendResult{AppendError::unknown};
        waiting.push_back({attempt, std::move(appends.at(0)), std::move(done)});
        if (!at_once) return std::nullopt;
        Waiting first = take_first();
        if (end_error) return AppendResult{end_error};
        return AppendResult{std::nullopt, {write(first, true)}};
    }
    Durability durability() const override { return Durability::synced; }
    DurableState* durable_state() override { return this; }
    LogState state() override { return {condition, condition == LogState::Condition::open ? "" : "for a test"}; }
    const std::string& epoch() const override { return epoch_; }
    std::uint64_t last_id() override { return disk_.last_id; }
    feed::RecordTime begun_at() const override { return 0; }
    Slice read(std::string_view, std::uint64_t, std::size_t, std::size_t) override { return {}; }
    std::uint64_t first_id_since(std::string_view, feed::RecordTime) override { return disk_.last_id + 1; }
    StreamExtent extent(std::string_view stream) override {
        StreamExtent extent;
        const auto at = disk_.streams.find(stream);
        if (at == disk_.streams.end() || at->second.last_id == 0) return extent;
        extent.last_id = extent.first_id = at->second.last_id;
        extent.events = 1;
        return extent;
    }
    std::vector<StreamExtent> extents(const text::StreamSelection&) override { return {}; }
    void retain(const std::string&, const Retention&) override {}
    void hold(const std::string&, const Hold&) override {}
    void clear(std::string_view stream) override {
        if (const auto at = disk_.streams.find(stream); at != disk_.streams.end()) disk_.streams.erase(at);
    }
    Purged purge(std::string_view, std::uint64_t) override { return {}; }
    Erased erase(std::string_view, std::uint64_t) override { return {}; }
    void relieve_memory() override {}

    std::vector<StoredStream> streams() override {
        std::map<std::pair<std::uint64_t, std::string>, StoredStream> sorted;
        for (const auto& [name, state] : disk_.streams) sorted[{state.last_append, name}] = {name, state.definition};
        std::vector<StoredStream> all;
        for (auto& [place, stream] : sorted) all.push_back(std::move(stream));
        return all;
    }
    void define(const std::string& stream, std::optional<std::string> definition) override {
        disk_.streams[stream].definition = std::move(definition);
    }
    std::optional<AppendError> sync() override { return sync_error; }
    bool has_seen_none(std::string_view stream) override {
        const auto at = disk_.streams.find(stream);
        return at == disk_.streams.end() || at->second.seen.empty();
    }
    std::vector<std::optional<SeenItem>> find_seen(std::string_view stream,
                                                   std::span<const text::Digest> identities) override {
        std::vector<std::optional<SeenItem>> found(identities.size());
        disk_.looked_up += identities.size();
        const auto of = disk_.streams.find(stream);
        if (condition == LogState::Condition::failed || of == disk_.streams.end()) return found;
        for (std::size_t i = 0; i < identities.size(); ++i)
            if (const auto at = of->second.seen.find(identities[i]); at != of->second.seen.end()) found[i] = at->second;
        return found;
    }
    void note_seen(const std::string& stream, std::vector<SeenItem> items) override {
        for (const SeenItem& item : items) {
            disk_.streams[stream].seen[item.identity] = item;
            disk_.noted.push_back(item);
        }
    }
    std::vector<NamedValue> values() override {
        std::vector<NamedValue> all;
        for (const auto& [name, value] : disk_.values) all.push_back({name, value});
        return all;
    }
    void put(std::vector<NamedValue> values, DurableState::Done done) override {
        put_all(values);
        if (done) done(std::nullopt);
    }
    std::optional<StoredReply> find_reply(const AttemptId& attempt) override {
        const auto at = disk_.replies.find(attempt);
        return at == disk_.replies.end() ? std::nullopt : std::optional(at->second);
    }
    boost::system::result<Backup, BackupRefusal> backup(const std::string& name) override {
        if (backup_refusal) return *backup_refusal;
        return Backup{"/backups/" + name, epoch_, 1'000, disk_.last_id};
    }

    // Ends the first append that waits.
    void end_first() {
        Waiting first = take_first();
        const std::uint64_t first_id = write(first, true);
        if (first.done) first.done({std::nullopt, {first_id}});
    }
    void fail_first(AppendError error) {
        const Waiting first = take_first();
        if (first.done) first.done({error, {0}});
    }
    Waiting take_first() {
        Waiting first = std::move(waiting.front());
        waiting.pop_front();
        return first;
    }
    // As a write that gets to the disk whether or not anybody is told.
    std::uint64_t write(Waiting& waiting_append, bool tells) {
        Append& append = waiting_append.append;
        Disk::StreamState& state = disk_.streams[*append.stream];
        const std::uint64_t first_id = disk_.last_id + 1;
        for (feed::EventHead& event : append.events) {
            event.id = state.last_id = ++disk_.last_id;
            event.time = now;
            const auto identity = std::bit_cast<text::Digest>(event.identity);
            if (on_event) on_event(*append.stream, event);
            if (identity != text::Digest{})
                state.seen[identity] = {identity, std::bit_cast<text::Digest>(event.content), now};
        }
        state.last_append = ++disk_.appends;
        put_all(waiting_append.attempt.values);
        if (waiting_append.attempt.reply) {
            StoredReply& reply = disk_.replies[waiting_append.attempt.id] = *waiting_append.attempt.reply;
            reply.first_id = first_id;
            reply.last_id = disk_.last_id;
        }
        if (tells) listener_(append);
        return first_id;
    }

    std::deque<Waiting> waiting;
    LogState::Condition condition = LogState::Condition::open;
    std::optional<AppendError> sync_error;
    std::optional<BackupRefusal> backup_refusal;
    feed::RecordTime now = 0;
    bool at_once = false;                  // appends end before append() returns
    std::optional<AppendError> end_error;  // with this, then
    std::function<void(const std::string&, const feed::EventHead&)> on_event;

private:
    void put_all(const std::vector<NamedValue>& values) {
        for (const NamedValue& each : values) {
            if (each.value)
                disk_.values[each.name] = *each.value;
            else
                disk_.values.erase(each.name);
        }
    }

    Disk& disk_;
    Listener listener_;
    const std::string epoch_ = "1";
};

}  // namespace sluice::store
