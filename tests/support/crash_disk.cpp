#include "tests/support/crash_disk.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sluice::testing {

namespace {

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == 0 ? "/" : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::uint64_t below(std::mt19937_64& random, std::uint64_t end) { return random() % end; }

}  // namespace

FileKind kind_of(std::string_view path) {
    const std::string_view name = name_of(path);
    if (name.ends_with(".log")) return FileKind::wal;
    if (name.ends_with(".sst")) return FileKind::table;
    if (name.starts_with("MANIFEST")) return FileKind::manifest;
    return name == "CURRENT" ? FileKind::current : FileKind::other;
}

struct CrashDisk::File {
    explicit File(FileKind of) : kind(of) {}

    void copy_sector(std::size_t sector) {
        const std::size_t from = sector * sector_bytes, end = std::min({from + sector_bytes, written.size()});
        if (from >= end) return;
        if (synced.size() < end) synced.resize(end);
        written.copy(&synced[from], end - from, from);
    }
    void sync() {
        synced.resize(written.size());
        for (const std::size_t sector : unsynced) copy_sector(sector);
        unsynced.clear();
    }
    void fail_sync(std::mt19937_64& random) {
        for (const std::size_t sector : unsynced)
            if (below(random, 2) == 0) copy_sector(sector);
        unsynced.clear();
    }
    // Keeps each unsynced sector with this chance, in percent.
    void lose_unsynced(std::mt19937_64& random, std::uint64_t chance) {
        const std::size_t least = std::min(synced.size(), written.size()),
                          most = std::max(synced.size(), written.size());
        std::size_t length = below(random, 2) == 0 ? synced.size() : written.size();
        if (most != least && below(random, 2) == 0) length = least + below(random, most - least + 1);
        for (const std::size_t sector : unsynced)
            if (below(random, 100) < chance) copy_sector(sector);
        synced.resize(length);
        written = synced;
        unsynced.clear();
    }

    const FileKind kind;
    std::string written, synced;
    std::set<std::size_t> unsynced;  // sectors. Others differ if a sync of them has failed: nothing writes them again
};

std::unique_ptr<CrashDisk> CrashDisk::clone() const {
    auto copy = std::make_unique<CrashDisk>(names_);
    const Lock lock(mutex_);
    std::map<const File*, FilePtr> copies;
    const auto copy_of = [&](const FilePtr& file) {
        if (!file) return file;
        FilePtr& made = copies[file.get()];
        if (!made) made = std::make_shared<File>(*file);
        return made;
    };
    for (const auto& [path, file] : written_) copy->written_.emplace(path, copy_of(file));
    for (const auto& [path, file] : synced_) copy->synced_.emplace(path, copy_of(file));
    for (const Change& change : changes_)
        copy->changes_.push_back({change.path, change.to, copy_of(change.file), change.is_removal});
    return copy;
}

void CrashDisk::stop() {
    const Lock lock(mutex_);
    stopped_ = true;
    locks_.clear();
}

void CrashDisk::stop_at(std::uint64_t n) {
    const Lock lock(mutex_);
    stop_at_ = n;
}

bool CrashDisk::is_stopped() const {
    const Lock lock(mutex_);
    return stopped_;
}

void CrashDisk::lose_unsynced(std::uint64_t seed) {
    const Lock lock(mutex_);
    std::mt19937_64 random(seed);
    constexpr std::array<std::uint64_t, 5> chances{0, 10, 50, 90, 100};
    const std::uint64_t chance = chances[below(random, chances.size())];
    std::map<std::string, std::uint64_t> left;  // changes that reach the disk, by directory: the first ones
    for (const Change& each : changes_) ++left[names_ == Names::with_any_sync ? "" : parent_of(each.path)];
    for (auto& [directory, n] : left) n = below(random, n + 1);
    for (const Change& each : changes_) {
        std::uint64_t& n = left[names_ == Names::with_any_sync ? "" : parent_of(each.path)];
        if (n == 0) continue;
        --n;
        apply(each, synced_);
    }
    changes_.clear();
    for (auto each = synced_.begin(); each != synced_.end();) {  // in the order of paths
        const std::string parent = parent_of(each->first);
        const bool has_parent = parent == "/" || synced_.contains(parent);
        each = has_parent ? std::next(each) : synced_.erase(each);
    }
    written_ = synced_;
    std::set<File*> done;
    for (const auto& [path, file] : synced_)
        if (file && done.insert(file.get()).second) file->lose_unsynced(random, chance);
}

CrashDisk::Process CrashDisk::process() {
    const Lock lock(mutex_);
    stopped_ = false;
    stop_at_ = 0;
    locks_.clear();
    return ++process_;
}

void CrashDisk::plan(const Fault& fault) {
    const Lock lock(mutex_);
    faults_.push_back(fault);
}

void CrashDisk::set_free(std::uint64_t bytes) {
    const Lock lock(mutex_);
    capacity_ = used() + bytes;
}

void CrashDisk::ignore_syncs() {
    const Lock lock(mutex_);
    ignores_syncs_ = true;
}

void CrashDisk::heal() {
    const Lock lock(mutex_);
    faults_.clear();
    capacity_.reset();
    ignores_syncs_ = false;
}

std::uint64_t CrashDisk::faults_met() const {
    const Lock lock(mutex_);
    return faults_met_;
}

std::uint64_t CrashDisk::changes() const {
    const Lock lock(mutex_);
    return change_count_;
}

Traffic CrashDisk::traffic(FileKind kind) const {
    const Lock lock(mutex_);
    return traffic_[static_cast<std::size_t>(kind)];
}

std::vector<std::string> CrashDisk::paths() const {
    const Lock lock(mutex_);
    std::vector<std::string> all;
    for (const auto& [path, file] : written_)
        if (file) all.push_back(path);
    return all;
}

std::string CrashDisk::content(const std::string& path) const {
    const Lock lock(mutex_);
    return written_.at(path)->written;
}

void CrashDisk::set_content(const std::string& path, std::string bytes) {
    const Lock lock(mutex_);
    const auto file = std::make_shared<File>(kind_of(path));
    file->written = file->synced = std::move(bytes);
    written_[path] = synced_[path] = file;
}

void CrashDisk::erase(const std::string& path) {
    const Lock lock(mutex_);
    written_.erase(path);
    synced_.erase(path);
}

bool CrashDisk::meets_fault(Access access, FileKind kind) {
    bool meets = false;
    for (auto each = faults_.begin(); each != faults_.end();) {
        const bool counts = each->access == access && each->kind.value_or(kind) == kind;
        if (!counts || each->after != 0) {
            each->after -= counts ? 1 : 0;
            ++each;
            continue;
        }
        meets = true;
        each = each->for_ever ? std::next(each) : faults_.erase(each);
    }
    faults_met_ += meets ? 1 : 0;
    return meets;
}

bool CrashDisk::counts_to_stop() {
    ++change_count_;
    if (stop_at_ == 0 || --stop_at_ != 0) return false;
    stopped_ = true;
    locks_.clear();
    return true;
}

void CrashDisk::apply(const Change& change, Entries& entries) {
    if (change.is_removal || !change.to.empty()) entries.erase(change.path);
    if (!change.is_removal) entries[change.to.empty() ? change.path : change.to] = change.file;
}

DiskError CrashDisk::change(Process by, Change change) {
    if (!is_current(by)) return DiskError::failed;
    apply(change, written_);
    changes_.push_back(std::move(change));
    return counts_to_stop() ? DiskError::failed : DiskError::none;
}

// Of one directory, or of all.
void CrashDisk::sync_names(const std::string* directory) {
    const auto left = std::stable_partition(changes_.begin(), changes_.end(), [&](const Change& each) {
        return directory == nullptr || parent_of(each.path) == *directory;
    });
    for (auto each = changes_.begin(); each != left; ++each) apply(*each, synced_);
    changes_.erase(changes_.begin(), left);
}

CrashDisk::FilePtr CrashDisk::find(Process by, const std::string& path, DiskError& error) {
    const Lock lock(mutex_);
    error = DiskError::failed;
    if (!is_current(by)) return nullptr;
    const auto at = written_.find(path);
    error = at == written_.end() || !at->second ? DiskError::not_found : DiskError::none;
    return error == DiskError::none ? at->second : nullptr;
}

CrashDisk::FilePtr CrashDisk::create(Process by, const std::string& path, bool anew, DiskError& error) {
    const Lock lock(mutex_);
    error = is_current(by) ? DiskError::none : DiskError::failed;
    if (error != DiskError::none) return nullptr;
    if (const auto at = written_.find(path); at != written_.end() && at->second) {
        if (anew) at->second->written.clear();
        return at->second;
    }
    const std::string parent = parent_of(path);
    error = parent == "/" || written_.contains(parent) ? DiskError::none : DiskError::not_found;
    if (error != DiskError::none) return nullptr;
    auto file = std::make_shared<File>(kind_of(path));
    error = change(by, {path, {}, file});
    return error == DiskError::none ? file : nullptr;
}

DiskError CrashDisk::make_directory(Process by, const std::string& path) {
    const Lock lock(mutex_);
    return change(by, {path, {}, nullptr});
}

bool CrashDisk::is_directory(const std::string& path) const {
    const Lock lock(mutex_);
    const auto at = written_.find(path);
    return path == "/" || (at != written_.end() && !at->second);
}

DiskError CrashDisk::remove(Process by, const std::string& path) {
    const Lock lock(mutex_);
    if (is_current(by) && !written_.contains(path)) return DiskError::not_found;
    return change(by, {path, {}, nullptr, true});
}

DiskError CrashDisk::rename(Process by, const std::string& from, const std::string& to) {
    const Lock lock(mutex_);
    const auto at = written_.find(from);
    if (is_current(by) && at == written_.end()) return DiskError::not_found;
    return change(by, {from, to, at == written_.end() ? nullptr : at->second});
}

DiskError CrashDisk::sync_directory(Process by, const std::string& path) {
    const Lock lock(mutex_);
    if (!is_current(by) || counts_to_stop() || meets_fault(Access::sync, FileKind::other)) return DiskError::failed;
    ++traffic_of(FileKind::other).syncs;
    if (!ignores_syncs_) sync_names(names_ == Names::with_directory ? &path : nullptr);
    return DiskError::none;
}

DiskError CrashDisk::list(Process by, const std::string& path, std::vector<std::string>& names) const {
    if (!is_directory(path)) return DiskError::not_found;
    const Lock lock(mutex_);
    if (!is_current(by)) return DiskError::failed;
    for (const auto& [each, file] : written_)
        if (parent_of(each) == path) names.emplace_back(name_of(each));
    return DiskError::none;
}

DiskError CrashDisk::read(Process by, const File& file, std::uint64_t offset, std::size_t bytes, char* to,
                          std::size_t& n) {
    const Lock lock(mutex_);
    n = 0;
    if (!is_current(by) || meets_fault(Access::read, file.kind)) return DiskError::failed;
    if (offset < file.written.size()) n = file.written.copy(to, bytes, offset);
    traffic_of(file.kind).bytes_read += n;
    return DiskError::none;
}

DiskError CrashDisk::append(Process by, File& file, std::string_view bytes) {
    const Lock lock(mutex_);
    return write_at(by, file, file.written.size(), bytes);
}

DiskError CrashDisk::write(Process by, File& file, std::uint64_t offset, std::string_view bytes) {
    const Lock lock(mutex_);
    return write_at(by, file, offset, bytes);
}

// What fails has been done in part.
DiskError CrashDisk::write_at(Process by, File& file, std::uint64_t offset, std::string_view bytes) {
    if (!is_current(by)) return DiskError::failed;
    DiskError error = DiskError::none;
    if (counts_to_stop() || meets_fault(Access::write, file.kind)) {
        error = DiskError::failed;
        bytes = bytes.substr(0, below(random_, bytes.size() + 1));
    }
    const std::uint64_t more =
        offset + bytes.size() > file.written.size() ? offset + bytes.size() - file.written.size() : 0;
    const std::uint64_t in_use = capacity_ ? used() : 0;
    if (capacity_ && more != 0 && in_use + more > *capacity_) {
        const std::uint64_t lacking = in_use + more - *capacity_;
        error = DiskError::no_space;
        bytes = bytes.substr(0, lacking >= bytes.size() ? 0 : bytes.size() - lacking);
    }
    if (bytes.empty()) return error;
    const std::size_t end = offset + bytes.size();
    if (file.written.size() < end) file.written.resize(end);
    std::memcpy(&file.written[offset], bytes.data(), bytes.size());
    for (std::size_t sector = offset / sector_bytes; sector * sector_bytes < end; ++sector)
        file.unsynced.insert(sector);
    traffic_of(file.kind).bytes_written += bytes.size();
    return error;
}

DiskError CrashDisk::truncate(Process by, File& file, std::uint64_t bytes) {
    const Lock lock(mutex_);
    if (!is_current(by) || counts_to_stop()) return DiskError::failed;
    file.written.resize(bytes);
    return DiskError::none;
}

DiskError CrashDisk::sync(Process by, File& file) {
    const Lock lock(mutex_);
    if (!is_current(by) || counts_to_stop()) return DiskError::failed;
    if (meets_fault(Access::sync, file.kind)) {
        file.fail_sync(random_);
        return DiskError::failed;
    }
    ++traffic_of(file.kind).syncs;
    if (ignores_syncs_) return DiskError::none;
    file.sync();
    if (names_ == Names::with_any_sync) sync_names(nullptr);
    return DiskError::none;
}

std::uint64_t CrashDisk::size(const File& file) const {
    const Lock lock(mutex_);
    return file.written.size();
}

std::uint64_t CrashDisk::used() const {
    std::uint64_t bytes = 0;
    for (const auto& [path, file] : written_) bytes += file ? file->written.size() : 0;
    return bytes;
}

std::uint64_t CrashDisk::free_bytes() const {
    constexpr std::uint64_t unlimited = std::uint64_t{1} << 40;
    const Lock lock(mutex_);
    if (!capacity_) return unlimited;
    const std::uint64_t in_use = used();
    return *capacity_ > in_use ? *capacity_ - in_use : 0;
}

bool CrashDisk::lock(Process by, const std::string& path) {
    const Lock lock(mutex_);
    return is_current(by) && locks_.insert(path).second;
}

void CrashDisk::unlock(Process by, const std::string& path) {
    const Lock lock(mutex_);
    if (is_current(by)) locks_.erase(path);
}

}  // namespace sluice::testing
