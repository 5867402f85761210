#include "broker/store/rocks/database/table_use.hpp"

#include <algorithm>

#include "protocol/text/crc32c.hpp"

namespace sluice::store {

namespace {

constexpr char version = 1;
constexpr std::size_t checksum_bytes = 4;

void add(std::string& bytes, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
    bytes += static_cast<char>(number);
}

void add(std::string& bytes, const StreamUse& use) {
    add(bytes, use.stream);
    add(bytes, use.bytes);
    add(bytes, use.smallest);
    add(bytes, use.largest - use.smallest);
}

// What is noted wrongly would have files removed that are needed.
void add_checksum(std::string& bytes) {
    const std::uint32_t crc = text::crc32c(bytes);
    for (std::size_t i = 0; i < checksum_bytes; ++i) bytes += static_cast<char>(crc >> 8 * i & 0xFF);
}

class UseReader {
public:
    explicit UseReader(std::string_view bytes) : bytes_(bytes) {}

    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (bytes_.empty()) break;
            const auto byte = static_cast<unsigned char>(bytes_.front());
            bytes_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if (byte < 0x80) return value;
        }
        failed_ = true;
        return 0;
    }
    StreamUse use() {
        StreamUse use;
        const std::uint64_t stream = number();
        use.stream = static_cast<std::uint32_t>(stream);
        use.bytes = number();
        use.smallest = number();
        use.largest = use.smallest + number();
        failed_ = failed_ || use.stream != stream || use.largest < use.smallest;
        return use;
    }
    std::size_t left() const { return bytes_.size(); }
    bool failed() const { return failed_; }

private:
    std::string_view bytes_;
    bool failed_ = false;
};

void add(StreamUse& sum, const StreamUse& use) {
    if (sum.bytes == 0) {
        sum = use;
        return;
    }
    sum.stream = std::max(sum.stream, use.stream);
    sum.bytes += use.bytes;
    sum.smallest = std::min(sum.smallest, use.smallest);
    sum.largest = std::max(sum.largest, use.largest);
}

std::uint64_t dead_bytes(const StreamUse& use, std::uint64_t below) {
    if (use.bytes == 0 || below <= use.smallest) return 0;
    if (below > use.largest) return use.bytes;
    const double share = static_cast<double>(below - use.smallest) / static_cast<double>(use.largest - use.smallest);
    return std::min(static_cast<std::uint64_t>(share * static_cast<double>(use.bytes)), use.bytes - 1);
}

}  // namespace

std::uint64_t TableUse::bytes() const {
    std::uint64_t sum = lasting + others.bytes;
    for (const StreamUse& use : streams) sum += use.bytes;
    return sum;
}

void TableUseCounter::add(std::uint32_t stream, std::uint64_t position, std::uint64_t bytes) {
    store::add(streams_[stream], {stream, bytes, position, position});
}

TableUse TableUseCounter::count(std::size_t streams_max) const {
    TableUse use{lasting_, {}, {}};
    use.streams.reserve(streams_.size());
    for (const auto& [stream, each] : streams_) use.streams.push_back(each);
    std::sort(use.streams.begin(), use.streams.end(), [](const StreamUse& a, const StreamUse& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.stream < b.stream;
    });
    while (use.streams.size() > streams_max) {
        store::add(use.others, use.streams.back());
        use.streams.pop_back();
    }
    std::sort(use.streams.begin(), use.streams.end(),
              [](const StreamUse& a, const StreamUse& b) { return a.stream < b.stream; });
    return use;
}

std::string encode(const TableUse& use) {
    std::string bytes(1, version);
    add(bytes, use.lasting);
    add(bytes, use.others);
    for (const StreamUse& each : use.streams) add(bytes, each);
    add_checksum(bytes);
    return bytes;
}

std::optional<TableUse> decode_table_use(std::string_view bytes) {
    if (bytes.size() <= checksum_bytes || bytes.front() != version) return std::nullopt;
    std::string expected(bytes.substr(0, bytes.size() - checksum_bytes));
    UseReader reader(bytes.substr(1, expected.size() - 1));
    add_checksum(expected);
    if (expected != bytes) return std::nullopt;
    TableUse use;
    use.lasting = reader.number();
    use.others = reader.use();
    while (!reader.failed() && reader.left() != 0) use.streams.push_back(reader.use());
    if (reader.failed()) return std::nullopt;
    return use;
}

std::uint64_t dead_bytes(const TableUse& use, const DeadBelow& dead) {
    std::uint64_t sum = 0;
    for (const StreamUse& each : use.streams) sum += dead_bytes(each, dead.of(each.stream));
    if (use.others.bytes != 0 && use.others.largest < dead.of_all_to(use.others.stream)) sum += use.others.bytes;
    return sum;
}

std::uint64_t dead_bytes(const TableUse& use, const DeadBelow& dead, std::uint64_t file_bytes) {
    const std::uint64_t all = use.bytes(), gone = dead_bytes(use, dead);
    if (gone == 0 || gone == all) return gone == 0 ? 0 : file_bytes;
    return static_cast<std::uint64_t>(static_cast<double>(file_bytes) * static_cast<double>(gone) /
                                      static_cast<double>(all));
}

}  // namespace sluice::store
