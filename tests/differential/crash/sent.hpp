// What a test has sent to a log, in plain data structures that share nothing with it: appends, and what became of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "broker/store/event_log.hpp"

namespace sluice::testing {

// The log did what it must not do.
struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct SentEvent {
    feed::EventHead head;  // without id and time
    std::uint64_t id = 0;  // 0: not known
    feed::RecordTime time = 0;
};

struct SentPart {
    std::string stream;
    std::uint64_t life = 0;                     // of the stream, which a clear ends
    bool alone = false;                         // its items are kept alone
    std::vector<feed::DocumentRecord> records;  // one, or by event
    std::vector<SentEvent> events;
};

struct Sent {
    enum class State : std::uint8_t {
        waiting,
        stored,   // ended without an error, or has been found
        unknown,  // ended so
        refused,  // nothing was appended
        gone,     // has been looked for, and was not found
    };

    State state = State::waiting;
    bool has_failed = false;  // has ended with an error
    std::size_t process = 0;
    std::uint64_t begun = 0, ended = 0;  // when: numbers that rise
    std::vector<SentPart> parts;
    store::AttemptId attempt{};
    std::shared_ptr<const store::StoredReply> reply;
    std::vector<store::NamedValue> values;

    store::Appends appends() const;
};

// A stream, its identities and definitions.
struct SentStream {
    std::vector<std::uint64_t> lives{0};  // those that may be the present one after a crash; the last one is it
    // By life and identity: times when it has been seen again.
    std::map<std::pair<std::uint64_t, text::Digest>, std::set<feed::RecordTime>> sightings;
    std::vector<std::optional<std::string>> definitions{std::nullopt};  // likewise
};

using SentStreams = std::map<std::string, SentStream>;

text::Digest digest_of(const feed::RecordDigest& bytes);

class Sender {
public:
    explicit Sender(std::uint64_t seed) : random_(seed) {}

    // A random append to one or several streams.
    Sent make(const SentStreams& streams, std::size_t bytes_max);
    // Random values of some names, which differ from all others.
    std::vector<store::NamedValue> values(std::size_t bytes_max);
    static feed::RecordDigest identity(std::size_t number);
    static constexpr std::size_t identities = 10;  // of each stream

private:
    std::size_t below(std::size_t end) { return random_() % end; }
    feed::DocumentRecord record(std::size_t bytes_max);
    SentPart part(const std::string& stream, std::uint64_t life, std::size_t bytes_max);

    std::mt19937_64 random_;
    std::uint64_t count_ = 0;
};

}  // namespace sluice::testing
