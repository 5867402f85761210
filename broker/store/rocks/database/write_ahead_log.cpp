#include "broker/store/rocks/database/write_ahead_log.hpp"

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

// Goes on from one file to the next.
class Search {
public:
    // `block`: at this offset of the file. Returns false when the search is over.
    bool look_at_block(const std::string& name, std::size_t offset, std::string_view block);

    // A gap at the end is what a torn group has left.
    std::optional<LogDamage> found() const { return found_ ? found_ : gap_; }

private:
    // A batch is bad as a whole.
    LogDamage damage_at(const std::string& name, std::size_t offset) const {
        return begin_ && begin_->file == name ? *begin_ : LogDamage{name, offset, false};
    }

    std::optional<LogDamage> found_;
    std::optional<LogDamage> gap_;    // nothing was written here, nor behind it as yet
    std::optional<LogDamage> begin_;  // of the batch that the last good record belongs to, if that was not its last
};

bool Search::look_at_block(const std::string& name, std::size_t offset, std::string_view block) {
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

// Returns false when the search is over, or if the file can't be read, which `failure` then says.
bool look_at_file(rocksdb::FileSystem& files, const std::string& folder, const std::string& name, Search& search,
                  std::string& failure) {
    std::unique_ptr<rocksdb::FSSequentialFile> file;
    rocksdb::IOStatus status = files.NewSequentialFile(folder + '/' + name, {}, &file, nullptr);
    std::string block(block_bytes, '\0');
    for (std::size_t offset = 0; status.ok(); offset += block_bytes) {
        std::size_t n = 0;
        rocksdb::Slice piece("?");
        while (n < block_bytes && !piece.empty()) {
            status = file->Read(block_bytes - n, {}, &piece, block.data() + n, nullptr);
            if (!status.ok()) break;
            if (piece.data() != block.data() + n) std::copy_n(piece.data(), piece.size(), block.data() + n);
            n += piece.size();
        }
        if (!status.ok()) break;
        if (!search.look_at_block(name, offset, std::string_view(block).substr(0, n))) return false;
        if (n < block_bytes) return true;
    }
    failure = status.ToString();
    return false;
}

LogCheck check_files(rocksdb::FileSystem& files, const std::string& folder, const std::vector<std::string>& names,
                     std::string failure) {
    LogCheck check;
    check.failure = std::move(failure);
    Search search;
    for (const std::string& name : names)
        if (!check.failure.empty() || !look_at_file(files, folder, name, search, check.failure)) break;
    check.damage = search.found();
    return check;
}

}  // namespace

LogCheck check_logs(rocksdb::FileSystem& files, const std::string& folder) {
    std::vector<std::string> all, logs;
    const rocksdb::IOStatus listed = files.GetChildren(folder, {}, &all, nullptr);
    std::copy_if(all.begin(), all.end(), std::back_inserter(logs),
                 [](const std::string& name) { return name.ends_with(".log"); });
    std::sort(logs.begin(), logs.end(), [](const std::string& a, const std::string& b) {
        return std::pair(a.size(), a) < std::pair(b.size(), b);  // numbers
    });
    return check_files(files, folder, logs, listed.ok() ? "" : listed.ToString());
}

LogCheck check_logs(const std::string& folder) { return check_logs(*rocksdb::FileSystem::Default(), folder); }

LogCheck check_manifest(const std::string& folder) {
    rocksdb::FileSystem& files = *rocksdb::FileSystem::Default();
    std::string name;
    const rocksdb::Status read = rocksdb::ReadFileToString(&files, folder + "/CURRENT", &name);
    name.erase(std::min(name.find('\n'), name.size()));
    return check_files(files, folder, {name}, read.ok() ? "" : read.ToString());
}

std::optional<LogDamage> find_log_damage(std::string_view bytes) {
    Search search;
    for (std::size_t offset = 0; offset < bytes.size(); offset += block_bytes)
        if (!search.look_at_block("", offset, bytes.substr(offset, block_bytes))) break;
    return search.found();
}

}  // namespace sluice::store
