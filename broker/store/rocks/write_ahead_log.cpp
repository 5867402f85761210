#include "broker/store/rocks/write_ahead_log.hpp"

#include <algorithm>
#include <rocksdb/file_system.h>
#include <string_view>
#include <vector>

#include "protocol/text/crc32c.hpp"

namespace sluice::store {

namespace {

// RocksDB's format: blocks of 32 KiB; a record has a masked CRC32C (4), a length (2), a type (1), its bytes, and lies
// in one block. A batch is one record, or begins with one of a type of its own.
constexpr std::size_t block_bytes = 32u << 10, header_bytes = 7;
constexpr unsigned char whole_batch = 1, first_of_batch = 2, last_of_batch = 4;

std::uint32_t number_at(std::string_view bytes, std::size_t size) {
    std::uint32_t number = 0;
    for (std::size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return number;
}

struct Record {
    enum class Kind : std::uint8_t { good, bad, none } kind = Kind::none;
    unsigned char type = 0;
    std::size_t bytes = 0;
};

// `block`: the rest of a block.
Record read_record(std::string_view block) {
    if (block.size() < header_bytes) return {};
    const std::uint32_t crc = number_at(block, 4);
    const std::size_t length = number_at(block.substr(4), 2);
    const auto type = static_cast<unsigned char>(block[6]);
    if (crc == 0 && length == 0 && type == 0) return {};  // nothing was written here
    const std::size_t bytes = header_bytes + length;
    if (bytes > block.size()) return {Record::Kind::bad, type, block.size()};
    const std::uint32_t of_bytes = text::crc32c(block.substr(6, 1 + length));
    const std::uint32_t masked = ((of_bytes >> 15) | (of_bytes << 17)) + 0xa282'ead8;
    return {masked == crc ? Record::Kind::good : Record::Kind::bad, type, bytes};
}

std::string read_file(rocksdb::FileSystem& files, const std::string& name) {
    std::uint64_t size = 0;
    std::unique_ptr<rocksdb::FSSequentialFile> file;
    if (!files.GetFileSize(name, {}, &size, nullptr).ok()) return {};
    if (!files.NewSequentialFile(name, {}, &file, nullptr).ok()) return {};
    std::string bytes(size, '\0');
    std::size_t read = 0;
    while (read < bytes.size()) {
        rocksdb::Slice slice;
        if (!file->Read(bytes.size() - read, {}, &slice, bytes.data() + read, nullptr).ok() || slice.empty()) break;
        if (slice.data() != bytes.data() + read) std::copy_n(slice.data(), slice.size(), bytes.data() + read);
        read += slice.size();
    }
    bytes.resize(read);
    return bytes;
}

// Goes on from one file to the next.
class Search {
public:
    // Returns false when it is over.
    bool look_at(const std::string& name, std::string_view bytes) {
        for (std::size_t begin = 0; begin < bytes.size(); begin += block_bytes)
            if (!look_at_block(name, begin, bytes.substr(begin, block_bytes))) return false;
        return true;
    }

    // A gap at the end is what a torn group has left.
    std::optional<LogDamage> found() const { return found_ ? found_ : gap_; }

private:
    bool look_at_block(const std::string& name, std::size_t offset, std::string_view block) {
        while (!block.empty()) {
            const Record record = read_record(block);
            if (record.kind == Record::Kind::none) {
                // In the middle of a file something should have been here.
                const bool is_padding = block.size() < header_bytes;
                if (!is_padding && !gap_) gap_ = damage_at(name, offset);
                return true;
            }
            if (record.kind == Record::Kind::bad && !found_) found_ = gap_ ? gap_ : damage_at(name, offset);
            if (record.kind == Record::Kind::good && (found_ || gap_)) {
                if (!found_) found_ = gap_;
                found_->is_followed = record.type == whole_batch || record.type == first_of_batch;
                if (found_->is_followed) return false;
            }
            if (record.kind == Record::Kind::good) {
                if (record.type == first_of_batch) begin_ = LogDamage{name, offset, false};
                if (record.type == whole_batch || record.type == last_of_batch) begin_.reset();
            }
            offset += record.bytes;
            block.remove_prefix(record.bytes);
        }
        return true;
    }

    // A batch is bad as a whole.
    LogDamage damage_at(const std::string& name, std::size_t offset) const {
        return begin_ && begin_->file == name ? *begin_ : LogDamage{name, offset, false};
    }

    std::optional<LogDamage> found_;
    std::optional<LogDamage> gap_;    // nothing was written here, nor behind it as yet
    std::optional<LogDamage> begin_;  // of the batch that the last good record belongs to, if that was not its last
};

}  // namespace

std::optional<LogDamage> find_log_damage(rocksdb::FileSystem& files, const std::string& folder) {
    std::vector<std::string> all, logs;
    if (!files.GetChildren(folder, {}, &all, nullptr).ok()) return std::nullopt;
    std::copy_if(all.begin(), all.end(), std::back_inserter(logs),
                 [](const std::string& name) { return name.ends_with(".log"); });
    std::sort(logs.begin(), logs.end(), [](const std::string& a, const std::string& b) {
        return std::pair(a.size(), a) < std::pair(b.size(), b);  // numbers
    });
    Search search;
    for (const std::string& name : logs)
        if (!search.look_at(name, read_file(files, folder + '/' + name))) break;
    return search.found();
}

std::optional<LogDamage> find_log_damage(std::string_view bytes) {
    Search search;
    search.look_at("", bytes);
    return search.found();
}

}  // namespace sluice::store
