// What a log must have, and what not.
#include <algorithm>
#include <thread>
#include <tuple>
#include <utility>

#include "tests/differential/crash/history.hpp"
#include "tests/support/records.hpp"

namespace sluice::testing {

namespace {

using Ids = std::vector<std::uint64_t>;

std::string named(std::uint64_t id) { return " (event " + std::to_string(id) + ')'; }

}  // namespace

bool History::is_live(const SentPart& part) const { return streams_.at(part.stream).lives.back() == part.life; }

History::Found History::find_all() {
    Found found;
    constexpr int tries_max = 600;
    std::uint64_t next = 0;
    for (int tries = 0;; ++tries) {
        const store::Slice slice = log_->read(store::all_streams, next, 1 + below(50), 1 + below(100'000));
        if (slice.damaged_id != 0) throw Wrong("damage is reported" + named(slice.damaged_id));
        for (const store::KeptEvents& kept : slice.kept)
            for (const feed::EventHead& event : kept.events)
                found.events.push_back({*kept.of->stream, kept.of->record, event});
        if (slice.at_end) break;
        if (disk_.is_stopped()) throw Wrong("the process has ended");
        if (slice.next_id <= next && tries > tries_max) throw Wrong("reading does not go on");
        if (slice.next_id <= next) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        next = slice.next_id;
    }
    return found;
}

void History::check(bool is_fresh, bool lossy) {
    const bool are_values_written = !is_fresh && write_values();
    Found found = find_all();
    std::map<std::string_view, std::tuple<std::size_t, std::size_t, std::size_t>> texts;
    for (std::size_t n = 0; n < sent_.size(); ++n)
        for (std::size_t p = 0; p < sent_[n].parts.size(); ++p)
            for (std::size_t r = 0; r < sent_[n].parts[p].records.size(); ++r)
                texts.emplace(*sent_[n].parts[p].records[r].text, std::tuple(n, p, r));
    std::uint64_t last = 0;
    feed::RecordTime time = 0;
    for (Found::Event& each : found.events) {
        const feed::EventHead& event = each.event;
        const auto at = texts.find(*each.record->text);
        if (at == texts.end()) throw Wrong("an event has a document that was not sent" + named(event.id));
        std::size_t r = 0;
        std::tie(each.number, each.part, r) = at->second;
        const SentPart& part = sent_[each.number].parts[each.part];
        const auto sent = std::find_if(part.events.begin(), part.events.end(), [&](const SentEvent& candidate) {
            return candidate.head.item == event.item && (!part.alone || &candidate == &part.events[r]);
        });
        if (sent == part.events.end()) throw Wrong("an event has an item that was not sent" + named(event.id));
        each.index = static_cast<std::size_t>(sent - part.events.begin());
        const feed::EventHead& head = sent->head;
        if (each.stream != part.stream || !is_same(*each.record, part.records[r]) || head.change != event.change ||
            head.identity != event.identity || head.content != event.content)
            throw Wrong("an event is not what was sent" + named(event.id));
        if (event.id <= last || event.time < time) throw Wrong("ids or times do not rise" + named(event.id));
        if (sent->id != 0 && sent->id != event.id) throw Wrong("an event has another id than before" + named(event.id));
        if (sent->time != 0 && sent->time != event.time) throw Wrong("an event's time has changed" + named(event.id));
        const auto known = ids_.find(event.id);
        if (known != ids_.end() && known->second != &*sent) throw Wrong("an id is given twice" + named(event.id));
        last = event.id;
        time = event.time;
    }
    check_lives(found, is_fresh);
    check_appends(found, lossy);
    check_order(found);
    check_identities(found);
    check_replies();
    check_values(is_fresh, are_values_written, lossy);
    if (is_fresh) check_streams(found);
    check_reading(found);
    if (is_fresh) {
        check_heard(found, heard_before_, lossy);
        heard_before_.clear();
        if (!heard_.empty()) throw Wrong("the listener has had events of an earlier process");
        lossy_ = false;
        last_id_before_ = std::max(last_id_before_, ids_.empty() ? 0 : ids_.rbegin()->first);
    }
    check_heard(found, heard_, false);
    for (const Sent& sent : sent_)
        for (const SentPart& part : sent.parts)
            for (const SentEvent& event : part.events)
                if (sent.process == process_ && sent.state == Sent::State::stored && event.id != 0 &&
                    std::none_of(heard_.begin(), heard_.end(),
                                 [&](const Heard& heard) { return heard.event.id == event.id; }))
                    throw Wrong("the listener has not had an event" + named(event.id));
    if (epoch_.empty()) {
        epoch_ = log_->epoch();
        begun_at_ = log_->begun_at();
    }
    if (log_->epoch() != epoch_ || log_->begun_at() != begun_at_) throw Wrong("another epoch");
    if (!ids_.empty() && log_->last_id() < ids_.rbegin()->first && !found.events.empty() &&
        log_->last_id() < found.events.back().event.id)
        throw Wrong("last_id() is below an id that was given");
    const store::LogState state = log_->state();
    if (!state.damage.empty()) throw Wrong("damage is reported: " + state.damage.front().what);
    ++states_;
}

// Which clears of streams have happened.
void History::check_lives(const Found& found, bool is_fresh) {
    std::map<std::string, std::set<std::uint64_t>> lives;
    for (const Found::Event& each : found.events) lives[each.stream].insert(sent_[each.number].parts[each.part].life);
    if (plan_.syncs)
        for (const Sent& sent : sent_)
            for (const SentPart& part : sent.parts) {
                auto& possible = streams_.at(part.stream).lives;
                if (sent.state == Sent::State::stored && std::count(possible.begin(), possible.end(), part.life) != 0)
                    possible.erase(possible.begin(), std::find(possible.begin(), possible.end(), part.life));
            }
    for (auto& [name, stream] : streams_) {
        const auto& present = lives[name];
        if (present.size() > 1) throw Wrong("what was cleared is there beside what came later: stream " + name);
        if (present.empty()) {
            if (is_fresh) stream.lives.erase(stream.lives.begin(), stream.lives.end() - 1);
            continue;
        }
        const std::uint64_t life = *present.begin();
        if (std::count(stream.lives.begin(), stream.lives.end(), life) == 0 ||
            (!is_fresh && life != stream.lives.back()))
            throw Wrong("what was cleared has come back: stream " + name);
        if (is_fresh) stream.lives = {life};
    }
}

void History::check_appends(Found& found, bool lossy) {
    std::map<std::pair<std::size_t, std::size_t>, std::vector<const Found::Event*>> parts;
    for (const Found::Event& each : found.events) parts[{each.number, each.part}].push_back(&each);
    std::uint64_t first_lost = ~std::uint64_t{0};
    for (std::size_t n = 0; n < sent_.size(); ++n) {
        Sent& sent = sent_[n];
        std::size_t live = 0, present = 0;
        for (std::size_t p = 0; p < sent.parts.size(); ++p) {
            if (!is_live(sent.parts[p])) continue;
            ++live;
            const auto at = parts.find({n, p});
            if (at == parts.end()) continue;
            ++present;
            const std::vector<const Found::Event*>& events = at->second;
            if (events.size() != sent.parts[p].events.size()) throw Wrong("an append is there in part");
            for (std::size_t i = 0; i < events.size(); ++i)
                if (events[i]->index != i || events[i]->event.id != events[0]->event.id + i)
                    throw Wrong("the events of an append are not in order" + named(events[i]->event.id));
        }
        const bool is_there = live != 0 && present == live;
        if (present != 0 && !is_there) throw Wrong("an append to several streams is there in part");
        const bool must_not = sent.state == Sent::State::gone || sent.state == Sent::State::refused;
        if (is_there && must_not) throw Wrong("an append is there that was refused, or was not there before");
        if (sent.state == Sent::State::stored && live != 0 && !is_there) {
            const std::uint64_t id = sent.parts[0].events[0].id;
            if (!lossy) throw Wrong("an append that had ended well is lost" + named(id));
            first_lost = std::min(first_lost, id);
            sent.state = Sent::State::gone;
        }
        // Of what has been cleared nobody can say.
        if (live != 0 && (sent.state == Sent::State::waiting || sent.state == Sent::State::unknown))
            sent.state = is_there ? Sent::State::stored : Sent::State::gone;
        if (!is_there) continue;
        for (std::size_t p = 0; p < sent.parts.size(); ++p) {
            const auto at = parts.find({n, p});
            for (std::size_t i = 0; at != parts.end() && i < at->second.size(); ++i) {
                SentEvent& event = sent.parts[p].events[i];
                event.id = at->second[i]->event.id;
                event.time = at->second[i]->event.time;
                ids_.emplace(event.id, &event);
            }
        }
    }
    if (!found.events.empty() && found.events.back().event.id > first_lost)
        throw Wrong("something is lost, and something later is not" + named(first_lost));
}

// Of each stream: that in which the appends began.
void History::check_order(const Found& found) const {
    std::map<std::string, std::tuple<std::size_t, std::size_t, std::size_t>> last;
    for (const Found::Event& each : found.events) {
        const std::tuple place(each.number, each.part, each.index);
        const auto [at, is_first] = last.emplace(each.stream, place);
        if (!is_first && place <= at->second) throw Wrong("appends are in another order" + named(each.event.id));
        at->second = place;
    }
}

void History::check_identities(const Found& found) {
    for (const auto& [name, stream] : streams_) {
        std::vector<text::Digest> identities;
        for (std::size_t i = 0; i < Sender::identities; ++i) identities.push_back(digest_of(Sender::identity(i)));
        const auto seen = log_->find_seen(name, identities);
        for (std::size_t i = 0; i < identities.size(); ++i) {
            const feed::EventHead* newest = nullptr;
            for (const Found::Event& each : found.events)
                if (each.stream == name && digest_of(each.event.identity) == identities[i]) newest = &each.event;
            if ((newest != nullptr) != seen[i].has_value())
                throw Wrong((newest ? "an item's identity is lost" : "an identity is known without its item") +
                            (" in stream " + name) + named(newest ? newest->id : 0));
            if (newest == nullptr) continue;
            if (log_->has_seen_none(name)) throw Wrong("has_seen_none() says so of a stream with items");
            if (seen[i]->identity != identities[i] || seen[i]->content != digest_of(newest->content))
                throw Wrong("an identity has another content than its newest event" + named(newest->id));
            const auto times = stream.sightings.find({stream.lives.back(), identities[i]});
            const bool is_noted = times != stream.sightings.end() && times->second.contains(seen[i]->seen_at);
            if (seen[i]->seen_at != newest->time && !is_noted)
                throw Wrong("an identity was seen when it was not" + named(newest->id));
        }
    }
}

void History::check_replies() {
    for (const Sent& sent : sent_) {
        if (!sent.reply || sent.state == Sent::State::unknown) continue;
        const auto reply = log_->find_reply(sent.attempt);
        if (sent.state != Sent::State::stored) {
            if (reply) throw Wrong("there is a reply to what is not stored");
            continue;
        }
        if (!std::all_of(sent.parts.begin(), sent.parts.end(), [&](const SentPart& part) { return is_live(part); }))
            continue;
        const std::vector<SentEvent>& events = sent.parts[0].events;
        if (!reply) throw Wrong("a reply is lost" + named(events[0].id));
        if (reply->request != sent.reply->request || reply->received != sent.reply->received ||
            reply->faults != sent.reply->faults || reply->first_id != events.front().id ||
            reply->last_id != events.back().id)
            throw Wrong("a reply has changed" + named(events[0].id));
    }
}

void History::check_streams(const Found& found) {
    std::map<std::string, feed::RecordTime> newest;
    for (const Found::Event& each : found.events) newest[each.stream] = each.event.time;
    std::set<std::string> listed;
    feed::RecordTime time = 0;
    for (const store::StoredStream& each : log_->streams()) {
        if (!streams_.contains(each.name) || !listed.insert(each.name).second)
            throw Wrong("a stream is listed that is none, or twice");
        auto& definitions = streams_.at(each.name).definitions;
        if (std::count(definitions.begin(), definitions.end(), each.definition) == 0)
            throw Wrong("stream " + each.name +
                        " has a definition that it should not have: " + each.definition.value_or("none"));
        definitions = {each.definition};
        if (!newest.contains(each.name)) continue;
        if (newest[each.name] < time) throw Wrong("the streams are not in the order of their last appends");
        time = newest[each.name];
    }
    for (auto& [name, stream] : streams_) {
        if (listed.contains(name)) continue;
        auto& definitions = stream.definitions;
        if (newest.contains(name) || std::count(definitions.begin(), definitions.end(), std::nullopt) == 0)
            throw Wrong("a stream is not listed: " + name);
        definitions = {std::nullopt};
    }
}

void History::check_reading(const Found& found) {
    std::vector<std::string> names{std::string(store::all_streams)};
    for (const auto& [name, stream] : streams_) names.push_back(name);
    for (const std::string& name : names) {
        Ids expected;
        std::vector<feed::RecordTime> times;
        for (const Found::Event& each : found.events) {
            if (name != store::all_streams && each.stream != name) continue;
            expected.push_back(each.event.id);
            times.push_back(each.event.time);
        }
        Ids ids;
        for (std::uint64_t next = 0;;) {
            const store::Slice slice = log_->read(name, next, 1 + below(40), 1 + below(20'000));
            for (const store::KeptEvents& kept : slice.kept)
                for (const feed::EventHead& event : kept.events) ids.push_back(event.id);
            next = slice.next_id;
            if (slice.at_end) break;
            if (slice.kept.empty()) throw Wrong("a slice is empty, and not the last");
        }
        if (ids != expected) throw Wrong("reading a stream and all of them differ: " + name);
        const store::StreamExtent extent = log_->extent(name);
        if (extent.events != ids.size() || extent.last_id != (ids.empty() ? 0 : ids.back()) ||
            extent.first_id != (ids.empty() ? log_->last_id() + 1 : ids.front()) ||
            extent.oldest != (times.empty() ? 0 : times.front()))
            throw Wrong("the extent is not that of the events: " + name);
        const feed::RecordTime since = now_ - static_cast<feed::RecordTime>(below(40'000));
        const auto at = std::lower_bound(times.begin(), times.end(), since);
        const std::uint64_t first =
            at == times.end() ? log_->last_id() + 1 : ids[static_cast<std::size_t>(at - times.begin())];
        if (log_->first_id_since(name, since) != first) throw Wrong("first_id_since() is wrong: " + name);
    }
}

// Nothing was heard that the log has not, and nothing twice.
void History::check_heard(const Found& found, const std::vector<Heard>& heard, bool lossy) const {
    std::map<std::uint64_t, const Found::Event*> events;
    for (const Found::Event& each : found.events) events.emplace(each.event.id, &each);
    std::set<std::uint64_t> ids;
    std::map<std::string, std::uint64_t> last;
    for (const Heard& each : heard) {
        const std::uint64_t id = each.event.id;
        if (!ids.insert(id).second) throw Wrong("the listener has had an event twice" + named(id));
        if (id <= last[each.stream]) throw Wrong("the listener has had events in another order" + named(id));
        last[each.stream] = id;
        const auto at = events.find(id);
        if (at == events.end()) {
            const auto known = ids_.find(id);
            if (lossy) continue;
            if (known == ids_.end()) throw Wrong("the listener has had an event that is lost" + named(id));
            continue;  // check_appends() has looked for it, unless its stream has been cleared
        }
        const Found::Event& event = *at->second;
        if (event.stream != each.stream || event.event.item != each.event.item || event.event.time != each.event.time ||
            event.event.content != each.event.content || !is_same(*event.record, *each.record))
            throw Wrong("the listener has had another event than the log has" + named(id));
    }
}

}  // namespace sluice::testing
