// A log of which the events with some ids can't be read.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/store/event_log.hpp"

namespace sluice::store {

struct DamagedLog final : EventLog {
    struct Faults {
        std::uint64_t first_damaged = 0, last_damaged = 0;
        std::vector<Damage> listed{};           // instead of one of all that is damaged; none: that one
        std::function<void()> after_extents{};  // called once
    };

    explicit DamagedLog(EventLog& of) : log(of) {}

    // On any thread: others may be reading.
    void set(Faults faults) {
        const std::lock_guard lock(mutex_);
        faults_ = std::move(faults);
    }

    Slice read(std::string_view stream, std::uint64_t from, std::size_t events, std::size_t bytes) override {
        const auto [first_damaged, last_damaged] = damaged_ids();
        Slice slice = log.read(stream, from, events, bytes);
        std::vector<KeptEvents> kept;
        for (const KeptEvents& each : slice.kept) {
            for (std::size_t i = 0; i < each.events.size(); ++i) {
                const std::uint64_t id = each.events[i].id;
                if (id >= first_damaged && id <= last_damaged)
                    slice.damaged_id = id;
                else
                    kept.push_back({each.of, each.events.subspan(i, 1)});
            }
        }
        slice.kept = std::move(kept);
        return slice;
    }
    void listen(Listener listener) override { log.listen(std::move(listener)); }
    std::optional<AppendResult> append(const Attempt& attempt, Appends appends, Done done) override {
        return log.append(attempt, std::move(appends), std::move(done));
    }
    const std::string& epoch() const override { return log.epoch(); }
    std::uint64_t last_id() override { return log.last_id(); }
    feed::RecordTime begun_at() const override { return log.begun_at(); }
    std::uint64_t first_id_since(std::string_view stream, feed::RecordTime time) override {
        return log.first_id_since(stream, time);
    }
    StreamExtent extent(std::string_view stream) override { return log.extent(stream); }
    std::vector<StreamExtent> extents(const text::StreamSelection& streams) override {
        std::vector<StreamExtent> found = log.extents(streams);
        if (const auto after = take_after_extents()) after();
        return found;
    }
    LogState state() override {
        LogState state = log.state();
        const std::lock_guard lock(mutex_);
        if (!faults_.listed.empty())
            state.damage = faults_.listed;
        else if (faults_.last_damaged != 0)
            state.damage.push_back({faults_.first_damaged, faults_.last_damaged, {}, "by the test"});
        return state;
    }
    void retain(const std::string& stream, const Retention& retention) override { log.retain(stream, retention); }
    void hold(const std::string& stream, const Hold& held) override { log.hold(stream, held); }
    void clear(std::string_view stream) override { log.clear(stream); }
    Purged purge(std::string_view stream, std::uint64_t before) override { return log.purge(stream, before); }
    Erased erase(std::string_view stream, std::uint64_t id) override { return log.erase(stream, id); }
    void relieve_memory() override { log.relieve_memory(); }

    EventLog& log;

private:
    std::pair<std::uint64_t, std::uint64_t> damaged_ids() {
        const std::lock_guard lock(mutex_);
        return {faults_.first_damaged, faults_.last_damaged};
    }
    std::function<void()> take_after_extents() {
        const std::lock_guard lock(mutex_);
        return std::exchange(faults_.after_extents, nullptr);
    }

    std::mutex mutex_;
    Faults faults_;
};

}  // namespace sluice::store
