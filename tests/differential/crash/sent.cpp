#include "tests/differential/crash/sent.hpp"

#include <bit>
#include <iterator>

namespace sluice::testing {

store::Appends Sent::appends() const {
    store::Appends all;
    for (const SentPart& part : parts) {
        store::Append append{std::make_shared<const std::string>(part.stream), nullptr, {}, nullptr};
        append.record = std::make_shared<const feed::DocumentRecord>(part.records.front());
        for (std::size_t i = 0; i < part.events.size(); ++i) {
            append.events.push_back(part.events[i].head);
            if (part.alone) append.items.push_back({part.records[i], part.events[i].head.item});
        }
        all.push_back(std::move(append));
    }
    return all;
}

text::Digest digest_of(const feed::RecordDigest& bytes) { return std::bit_cast<text::Digest>(bytes); }

feed::RecordDigest Sender::identity(std::size_t number) {
    feed::RecordDigest bytes{};
    bytes.fill(static_cast<std::uint8_t>(number + 1));
    return bytes;
}

// Differs from all others, and does not compress well.
feed::DocumentRecord Sender::record(std::size_t bytes_max) {
    feed::DocumentRecord record;
    std::string text = std::to_string(++count_) + ' ';
    const std::size_t bytes = text.size() + below(below(8) == 0 ? bytes_max : bytes_max / 40 + 1);
    while (text.size() < bytes) text += static_cast<char>(' ' + below(90));
    record.text = std::make_shared<const std::string>(std::move(text));
    record.content_type = "text/plain";
    if (below(4) == 0) record.owner = "someone";
    return record;
}

SentPart Sender::part(const std::string& stream, std::uint64_t life, std::size_t bytes_max) {
    SentPart part{stream, life, below(3) == 0, {}, {}};
    std::set<std::size_t> taken;
    for (std::size_t n = 1 + below(4); n > 0; --n) {
        SentEvent event;
        event.head.item = {static_cast<std::uint32_t>(n), 1};
        event.head.change = below(2) == 0 ? feed::EventHead::Change::added : feed::EventHead::Change::updated;
        if (const std::size_t item = below(identities); below(5) != 0 && taken.insert(item).second) {
            event.head.identity = identity(item);
            for (std::uint8_t& byte : event.head.content) byte = static_cast<std::uint8_t>(below(256));
        }
        part.events.push_back(event);
        if (part.alone || part.records.empty()) part.records.push_back(record(bytes_max));
    }
    return part;
}

Sent Sender::make(const SentStreams& streams, std::size_t bytes_max) {
    Sent sent;
    for (std::size_t n = 1 + below(2) * below(3); n > 0; --n) {
        const auto& [name, stream] = *std::next(streams.begin(), static_cast<std::ptrdiff_t>(below(streams.size())));
        sent.parts.push_back(part(name, stream.lives.back(), bytes_max));
    }
    sent.attempt = {random_(), random_()};
    if (below(2) == 0) {
        auto reply = std::make_shared<store::StoredReply>();
        reply->request = {random_(), 1};
        reply->received = below(100);
        reply->faults = std::string(below(50), 'f');
        sent.reply = std::move(reply);
    }
    if (below(3) == 0) sent.values = values(bytes_max);
    return sent;
}

std::vector<store::NamedValue> Sender::values(std::size_t bytes_max) {
    constexpr std::size_t names = 5;
    std::vector<store::NamedValue> values;
    for (std::size_t n = 1 + below(3); n > 0; --n) {
        store::NamedValue value{"value " + std::to_string(below(names)), std::nullopt};
        if (below(4) != 0)
            value.value = std::to_string(++count_) + std::string(below(below(8) == 0 ? bytes_max : 20), ' ');
        values.push_back(std::move(value));
    }
    return values;
}

}  // namespace sluice::testing
