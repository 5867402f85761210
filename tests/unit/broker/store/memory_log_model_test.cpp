// MemoryLog against a plain model of it: a list of what is retained, searched from the beginning for every answer.
#include <algorithm>
#include <catch2/catch.hpp>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "broker/store/memory_log.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

constexpr std::size_t log_bytes = 60'000, budget_bytes = 1'000'000;
const std::vector<std::string> names{"a", "b", "c", "d", "e"};
using Ids = std::vector<std::uint64_t>;

Append append_of(const std::string& stream, std::size_t events, std::size_t bytes, bool alone) {
    feed::DocumentRecord record;
    record.text = std::make_shared<const std::string>(bytes, 'x');
    Append append{std::make_shared<const std::string>(stream), nullptr, std::vector<feed::EventHead>(events), nullptr};
    append.record = std::make_shared<const feed::DocumentRecord>(record);
    if (alone) append.items.assign(events, {record, {}});
    return append;
}

// What the log says it takes, where there is room.
std::size_t bytes_of(std::size_t events, std::size_t bytes) {
    base::MemoryBudget budget(budget_bytes);
    MemoryLog log(budget_bytes, budget);
    log.append(AttemptId{}, {append_of("a", events, bytes, false)}, nullptr);
    return log.extent("a").bytes;
}

struct Model {
    struct Entry {
        std::string stream;
        Ids ids;
        feed::RecordTime time;
        std::size_t bytes;
    };
    struct Dropped {
        std::uint64_t id = 0;
        feed::RecordTime time = 0;
        void add(const Dropped& other) { *this = {std::max(id, other.id), std::max(time, other.time)}; }
    };

    bool is_of(const Entry& entry, const std::string& stream) const { return stream == "*" || entry.stream == stream; }
    std::size_t bytes(const std::string& stream) const {
        std::size_t sum = 0;
        for (const Entry& each : entries) sum += is_of(each, stream) ? each.bytes : 0;
        return sum;
    }
    std::size_t events(const std::string& stream) const {
        std::size_t sum = 0;
        for (const Entry& each : entries) sum += is_of(each, stream) ? each.ids.size() : 0;
        return sum;
    }
    std::list<Entry>::iterator oldest(const std::string& stream) {
        return std::find_if(entries.begin(), entries.end(), [&](const Entry& each) { return is_of(each, stream); });
    }
    void note(const std::string& stream, std::uint64_t id, feed::RecordTime time) {
        dropped[stream].add({id, time});
        dropped["*"].add({id, time});
    }
    void drop(std::list<Entry>::iterator entry) {
        note(entry->stream, entry->ids.back(), entry->time);
        entries.erase(entry);
    }
    void drop_all(const std::string& stream) {
        while (oldest(stream) != entries.end()) drop(oldest(stream));
    }
    void drop_expired() {
        for (const std::string& name : names) enforce(name);
    }
    // The first of the ids that the stream's retention alone would keep.
    std::uint64_t first_within(const std::string& stream) {
        Model model;
        for (const Entry& each : entries)
            if (each.stream == stream && now - each.time <= retention[stream].age.count())
                model.entries.push_back(each);
        while (model.bytes(stream) > retention[stream].bytes) model.entries.pop_front();
        std::size_t excess = model.events(stream) - std::min(model.events(stream), retention[stream].events);
        for (const std::uint64_t id : model.ids(stream, 0))
            if (excess-- == 0) return id;
        return last_id + 1;
    }
    void enforce(const std::string& stream) {
        const std::uint64_t first = first_within(stream);
        const Hold& held = hold[stream];
        for (auto entry = oldest(stream); entry != entries.end(); entry = oldest(stream)) {
            std::size_t held_bytes = 0;
            for (const Entry& each : entries)
                held_bytes += each.stream == stream && each.ids.back() < first ? each.bytes : 0;
            if (held_bytes == 0 || (held_bytes <= held.bytes && entry->ids.back() >= held.first_id)) break;
            drop(entry);
        }
        const std::uint64_t singly = held.bytes == 0 ? first : std::min(first, held.first_id);
        for (auto entry = oldest(stream); entry != entries.end(); entry = oldest(stream)) {
            if (entry->ids.front() >= singly) break;
            note(stream, entry->ids.front(), entry->time);
            if (entry->ids.size() == 1)
                drop(entry);
            else
                entry->ids.erase(entry->ids.begin());
        }
    }
    // `stream` is about to get `more` bytes.
    std::size_t give_back(std::size_t wanted, const std::string& stream, std::size_t more) {
        const std::size_t before = bytes("*");
        while (before - bytes("*") < wanted) {
            std::string most;
            std::size_t share = 0;
            std::uint64_t first = 0;
            for (const std::string& name : names) {
                const std::size_t of_it = bytes(name) + (name == stream ? more : 0);
                const std::uint64_t id = oldest(name) == entries.end() ? ~std::uint64_t{0} : oldest(name)->ids.front();
                if (of_it == 0 || of_it < share || (of_it == share && id > first)) continue;
                most = name;
                share = of_it;
                first = id;
            }
            if (most.empty() || oldest(most) == entries.end()) break;
            drop(oldest(most));
        }
        return before - bytes("*");
    }
    bool make_room(const std::string& stream, std::size_t more, std::size_t others, std::size_t ceiling) {
        if (more > log_bytes) return false;
        const auto lacking = [&] {
            const std::size_t all = bytes("*") + more, used = others + all;
            return std::max(all > log_bytes ? all - log_bytes : 0, used > ceiling ? used - ceiling : 0);
        };
        while (lacking() != 0 && give_back(lacking() + log_bytes / 32, stream, more) != 0) continue;
        return lacking() == 0;
    }
    void append(const std::string& stream, std::size_t count, std::size_t more, std::size_t others,
                std::size_t ceiling) {
        Entry entry{stream, {}, now, more};
        for (std::size_t i = 0; i < count; ++i) entry.ids.push_back(++last_id);
        const Retention& of_stream = retention[stream];
        const bool is_held = hold[stream].bytes != 0 && last_id >= hold[stream].first_id;
        const bool is_wanted = is_held || (of_stream.events != 0 && more <= of_stream.bytes);
        if (!is_wanted || !make_room(stream, more, others, ceiling)) {
            drop_all(stream);
            note(stream, last_id, now);
            return;
        }
        entries.push_back(entry);
        enforce(stream);
    }
    void clear(const std::string& stream) {
        drop_all(stream);
        forgotten.add(dropped[stream]);
        dropped[stream] = forgotten;  // for the stream that begins with this name
        retention.erase(stream);
        hold.erase(stream);
    }
    Ids ids(const std::string& stream, std::uint64_t from) const {
        Ids list;
        for (const Entry& each : entries)
            for (const std::uint64_t id : each.ids)
                if (is_of(each, stream) && id >= from) list.push_back(id);
        return list;
    }
    std::uint64_t first_id_since(const std::string& stream, feed::RecordTime time) const {
        for (const Entry& each : entries)
            if (is_of(each, stream) && each.time >= time) return each.ids.front();
        return last_id + 1;
    }

    std::list<Entry> entries;
    std::map<std::string, Retention> retention;
    std::map<std::string, Hold> hold;
    std::map<std::string, Dropped> dropped;
    Dropped forgotten;
    std::uint64_t last_id = 0;
    feed::RecordTime now = 0;
};

class Trial {
public:
    explicit Trial(unsigned seed) : random_(seed) {
        for (const std::string& name : names) log_.retain(name, {});
        model_.now = now_;
    }

    void step() {
        const std::string& name = names[below(names.size())];
        switch (below(16)) {
            case 0:
                return retain(name);
            case 1:
                log_.clear(name);
                log_.retain(name, {});
                return model_.clear(name);
            case 2:
                now_ += static_cast<feed::RecordTime>(below(2'000));
                model_.now = now_;
                return;
            case 3:  // others take what there is, or give it back
                others_ = budget_.force_charge(base::MemoryUse::mailboxes, below(2) * (600'000 + below(200'000)));
                return;
            case 4:
                if (budget_.used() > budget_bytes / 2) model_.give_back(model_.bytes("*") / 2, "", 0);
                return log_.relieve_memory();
            case 5:
                return hold(name);
            default:
                return append();
        }
    }

    void check() {
        model_.drop_expired();
        std::vector<std::string> all = names;
        all.insert(all.end(), {"*", "unknown"});
        for (const std::string& name : all) {
            CAPTURE(name);
            const std::uint64_t from = below(4) == 0 ? 0 : below(model_.last_id + 2);
            check_reading(name, from);
            const auto time = static_cast<feed::RecordTime>(below(static_cast<std::size_t>(now_) + 2));
            CHECK(log_.first_id_since(name, time) == model_.first_id_since(name, time));
            check_extent(name);
        }
        CHECK(log_.last_id() == model_.last_id);
    }

private:
    std::size_t below(std::size_t end) { return random_() % end; }

    void retain(const std::string& name) {
        Retention retention;
        if (below(2) == 0) retention.age = std::chrono::microseconds(below(3'000));
        if (below(2) == 0) retention.events = below(30);
        if (below(2) == 0) retention.bytes = below(log_bytes / 2);
        log_.retain(name, retention);
        model_.retention[name] = retention;
        model_.enforce(name);
    }

    void hold(const std::string& name) {
        const std::uint64_t first_id = below(4) == 0 ? 0 : model_.last_id + 10 - std::min(model_.last_id, below(60));
        model_.hold[name] = below(3) == 0 ? Hold{} : Hold{first_id, below(log_bytes / 2)};
        log_.hold(name, model_.hold[name]);
        model_.enforce(name);
    }

    void append() {
        const std::size_t others = budget_.used() - log_.extent("*").bytes;
        Appends appends;
        model_.drop_expired();
        for (std::size_t n = 1 + below(3) / 2 * below(3); n > 0; --n) {
            const std::string& name = names[below(below(2) == 0 ? names.size() : 2)];
            const std::size_t events = 1 + below(5), bytes = below(12) == 0 ? below(70'000) : 500 * below(8);
            const bool alone = below(3) == 0;
            appends.push_back(append_of(name, events, bytes, alone));
            for (std::size_t i = 0; i < (alone ? events : 1); ++i)
                model_.append(name, alone ? 1 : events, bytes_of(alone ? 1 : events, bytes), others,
                              budget_.ceiling(base::MemoryUse::store));
        }
        log_.append(AttemptId{}, std::move(appends), nullptr);
    }

    // In slices of any size, one after the other.
    void check_reading(const std::string& name, std::uint64_t from) {
        const Ids expected = model_.ids(name, from);
        Ids read;
        for (std::uint64_t next = from;;) {
            const std::size_t events_max = 1 + below(40), bytes_max = below(20'000);
            const Slice slice = log_.read(name, next, events_max, bytes_max);
            std::size_t events = 0;
            for (const KeptEvents& kept : slice.kept) {
                CHECK((name == "*" || *kept.of->stream == name));
                events += kept.events.size();
                for (const feed::EventHead& event : kept.events) read.push_back(event.id);
            }
            CHECK(events <= events_max);
            CHECK((events > 0 || slice.at_end));
            if (slice.at_end) {
                CHECK(slice.next_id == model_.last_id + 1);
                break;
            }
            REQUIRE(slice.next_id > read.back());
            next = slice.next_id;
        }
        CHECK(read == expected);
    }

    void check_extent(const std::string& name) {
        const StreamExtent extent = log_.extent(name);
        const Ids ids = model_.ids(name, 0);
        CHECK(extent.first_id == (ids.empty() ? model_.last_id + 1 : ids.front()));
        CHECK(extent.last_id == (ids.empty() ? 0 : ids.back()));
        CHECK(extent.events == ids.size());
        CHECK(extent.bytes == model_.bytes(name));
        CHECK(extent.oldest == (ids.empty() ? 0 : model_.oldest(name)->time));
        const Model::Dropped dropped = name == "unknown" ? model_.forgotten : model_.dropped[name];
        CHECK(extent.dropped_id == dropped.id);
        CHECK(extent.dropped_time == dropped.time);
        const Slice slice = log_.read(name, 0, 1, 1);
        CHECK(slice.dropped_id == dropped.id);
        CHECK(slice.oldest_id == extent.first_id);
    }

    std::mt19937 random_;
    feed::RecordTime now_ = 1'000;
    base::MemoryBudget budget_{budget_bytes};
    MemoryLog log_{log_bytes, budget_, [this] { return now_; }};
    base::MemoryCharge others_;
    Model model_;
};

}  // namespace

TEST_CASE("MemoryLog: random appends, retentions, clears and shortages → as a plain list has it") {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        CAPTURE(seed);
        Trial trial(seed);
        for (int step = 0; step < 400; ++step) {
            CAPTURE(step);
            trial.step();
            trial.check();
        }
    }
}
