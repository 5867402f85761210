// The bytes of a ledger, version 1. A number is seven bits a byte, the lowest first; all but its last byte have the
// highest bit set, and the last is not 0 unless it is the only one.
//
//   1 byte   version
//   number   next, at least 1
//   number   mark
//   number   how many ids are outstanding; then for each, ascending
//            number   what is to be added to the id before it, the first time to 0; at least 1
//            number   its deliveries, at least 1
//   number   how many ids at or above `next` are done; then for each, ascending
//            number   what is to be added to the id before it, the first time to next - 1; at least 1
#include <algorithm>
#include <limits>
#include <utility>

#include "broker/core/subscriptions/ledger.hpp"

namespace sluice::broker {

namespace {

constexpr char ledger_version = 1;

void add_number(std::string& bytes, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(0x80 | (number & 0x7F));
    bytes += static_cast<char>(number);
}

class LedgerReader {
public:
    explicit LedgerReader(std::string_view bytes) : bytes_(bytes) {}

    // 0 once anything was wrong.
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(bytes_.front());
            bytes_.remove_prefix(1);
            if (shift == 63 && byte > 1) break;
            value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if (byte >= 0x80) continue;
            if (byte == 0 && shift != 0) break;
            return value;
        }
        return fail();
    }
    std::uint64_t number(std::uint64_t least, std::uint64_t most) {
        const std::uint64_t value = number();
        return value < least || value > most ? fail() : value;
    }
    // An id above `id`.
    std::uint64_t id_after(std::uint64_t id) { return id + number(1, std::numeric_limits<std::uint64_t>::max() - id); }

    bool has_failed() const { return has_failed_; }
    bool is_at_end() const { return !has_failed_ && bytes_.empty(); }

private:
    std::uint64_t fail() {
        has_failed_ = true;
        bytes_ = {};
        return 0;
    }

    std::string_view bytes_;
    bool has_failed_ = false;
};

}  // namespace

std::string Ledger::encode() const {
    std::string bytes(1, ledger_version);
    add_number(bytes, next_);
    add_number(bytes, mark_);
    add_number(bytes, entries_.size() - buried_);
    std::uint64_t before = 0;
    for (const auto& [id, entry] : entries_) {
        if (entry.place == Place::buried) continue;
        add_number(bytes, id - std::exchange(before, id));
        add_number(bytes, entry.deliveries);
    }
    std::size_t done = std::min(done_.size(), done_max);
    add_number(bytes, done);
    before = next_ - 1;
    for (auto it = done_.begin(); done-- > 0; ++it) add_number(bytes, *it - std::exchange(before, *it));
    return bytes;
}

std::optional<Ledger> Ledger::decode(const Settings& settings, std::string_view bytes) {
    if (bytes.empty() || bytes.front() != ledger_version) return std::nullopt;
    LedgerReader reader(bytes.substr(1));
    Ledger ledger(settings, reader.number(1, std::numeric_limits<std::uint64_t>::max()));
    ledger.mark_ = ledger.loaded_mark_ = reader.number();
    std::uint64_t id = 0;
    for (std::uint64_t left = reader.number(0, outstanding_max); left-- > 0 && !reader.has_failed();) {
        id = reader.id_after(id);
        Entry entry;
        entry.deliveries = static_cast<std::uint32_t>(reader.number(1, std::numeric_limits<std::uint32_t>::max()));
        entry.place = Place::restored;
        entry.time = Time::min();
        ledger.entries_.emplace_hint(ledger.entries_.end(), id, std::move(entry));
        ledger.times_.emplace_hint(ledger.times_.end(), Time::min(), id);
    }
    id = ledger.next_ - 1;
    for (std::uint64_t left = reader.number(0, done_max); left-- > 0 && !reader.has_failed();) {
        id = reader.id_after(id);
        if (ledger.entries_.contains(id)) return std::nullopt;
        ledger.done_.insert(ledger.done_.end(), id);
    }
    if (!reader.is_at_end()) return std::nullopt;
    return ledger;
}

}  // namespace sluice::broker
