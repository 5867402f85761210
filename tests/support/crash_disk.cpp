#include "tests/support/crash_disk.hpp"

#include <cstring>

#include "tests/support/crash_disk_parts.hpp"

namespace sluice::testing {

FileKind kind_of(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (name.ends_with(".log")) return FileKind::wal;
    if (name.ends_with(".sst")) return FileKind::table;
    if (name.starts_with("MANIFEST")) return FileKind::manifest;
    return name == "CURRENT" ? FileKind::current : FileKind::other;
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

std::string CrashDisk::content(const std::string& path) const {
    const Lock lock(mutex_);
    const FilePtr file = entry_at(path).file;
    return file ? file->written : std::string();
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
    std::set<const File*> files;
    std::uint64_t bytes = 0;
    std::vector<const Directory*> to_do{root_.get()};
    while (!to_do.empty()) {
        const Directory& directory = *to_do.back();
        to_do.pop_back();
        for (const auto& [name, entry] : directory.written) {
            if (entry.directory) to_do.push_back(entry.directory.get());
            if (entry.file && files.insert(entry.file.get()).second) bytes += entry.file->written.size();
        }
    }
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
