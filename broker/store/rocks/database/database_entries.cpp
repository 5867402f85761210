// What is read and written, entry by entry.
#include <rocksdb/perf_level.h>
#include <utility>
#include <vector>

#include "broker/store/rocks/database/database_parts.hpp"

namespace sluice::store {

namespace {

// Otherwise RocksDB counts for its thread how often keys are compared, among others, which nobody reads.
void count_nothing() { rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable); }

}  // namespace

std::optional<Fault> fault_of(const rocksdb::Status& status) {
    if (status.ok() || status.IsNotFound()) return std::nullopt;
    Fault::Kind kind = Fault::Kind::io;
    if (status.IsNoSpace()) kind = Fault::Kind::no_space;
    if (status.IsCorruption()) kind = Fault::Kind::damaged;
    return Fault{kind, status.ToString()};
}

Batch::Batch(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

void Batch::put(Family family, std::string_view key, std::span<const std::string_view> value) {
    const rocksdb::Slice key_slice = slice(key);
    std::vector<rocksdb::Slice> parts;
    parts.reserve(value.size());
    for (const std::string_view part : value) parts.push_back(slice(part));
    parts_->batch.Put(parts_->handles[index_of(family)], rocksdb::SliceParts(&key_slice, 1),
                      rocksdb::SliceParts(parts.data(), static_cast<int>(parts.size())));
}

void Batch::erase(Family family, std::string_view key) {
    parts_->batch.Delete(parts_->handles[index_of(family)], slice(key));
}

struct Cursor::Parts {
    std::string end;
    rocksdb::Slice end_slice;
    std::unique_ptr<rocksdb::Iterator> at{};
};

Cursor::Cursor(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Cursor::Cursor(Cursor&&) noexcept = default;
Cursor::~Cursor() = default;

void Cursor::seek(std::string_view key) { parts_->at->Seek(slice(key)); }
void Cursor::seek_before(std::string_view key) { parts_->at->SeekForPrev(slice(key)); }
void Cursor::next() { parts_->at->Next(); }
bool Cursor::is_at_end() const { return !parts_->at->Valid(); }
std::string_view Cursor::key() const { return view(parts_->at->key()); }
std::string_view Cursor::value() const { return view(parts_->at->value()); }
std::optional<Fault> Cursor::fault() const { return fault_of(parts_->at->status()); }

Batch Database::batch() const { return Batch(std::make_unique<Batch::Parts>(Batch::Parts{parts_->handles})); }

std::optional<Fault> Database::write(Batch& batch, bool sync) {
    count_nothing();
    rocksdb::WriteOptions options;
    options.sync = sync;
    return fault_of(parts_->db->Write(options, &batch.parts_->batch));
}

Database::Found Database::get(Family family, std::string_view key) const {
    count_nothing();
    std::string value;
    const rocksdb::Status status =
        parts_->db->Get(rocksdb::ReadOptions(), parts_->handles[index_of(family)], slice(key), &value);
    if (!status.ok()) return {std::nullopt, fault_of(status)};
    return {std::move(value), std::nullopt};
}

std::vector<Database::Found> Database::get(Family family, std::span<const std::string> keys) const {
    count_nothing();
    std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    parts_->db->MultiGet(rocksdb::ReadOptions(), parts_->handles[index_of(family)], keys.size(), slices.data(),
                         values.data(), statuses.data());
    std::vector<Found> found(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (statuses[i].ok())
            found[i].value = values[i].ToString();
        else
            found[i].fault = fault_of(statuses[i]);
    }
    return found;
}

Cursor Database::cursor(Family family, std::string end) const {
    count_nothing();
    auto parts = std::make_unique<Cursor::Parts>(Cursor::Parts{std::move(end), {}});
    rocksdb::ReadOptions options;
    // With them, of which we write none, RocksDB 7.8 passes over a table that can't be opened without a word: it
    // forgets the error at the end of the table before.
    options.ignore_range_deletions = true;
    if (!parts->end.empty()) {
        parts->end_slice = parts->end;
        options.iterate_upper_bound = &parts->end_slice;
    }
    parts->at.reset(parts_->db->NewIterator(options, parts_->handles[index_of(family)]));
    return Cursor(std::move(parts));
}

}  // namespace sluice::store
