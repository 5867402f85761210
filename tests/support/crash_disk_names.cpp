// CrashDisk's directories: which names there are, and which of them a power failure leaves.
#include <algorithm>
#include <map>
#include <utility>

#include "tests/support/crash_disk_parts.hpp"

namespace sluice::testing {

namespace {

std::string parent_path(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

CrashDisk::CrashDisk(Names names) : names_(names), root_(std::make_shared<Directory>()) {}

class CrashDisk::Cloning {
public:
    Cloning(const DirectoryPtr& from, const DirectoryPtr& to) { directories_[from.get()] = to; }

    DirectoryPtr of(const DirectoryPtr& directory) {
        if (!directory) return nullptr;
        const auto [made, is_new] = directories_.try_emplace(directory.get());
        if (!is_new) return made->second;
        made->second = std::make_shared<Directory>();
        fill(*directory, *made->second);
        return made->second;
    }
    Entry of(const Entry& entry) {
        if (!entry.file) return {nullptr, of(entry.directory)};
        FilePtr& made = files_[entry.file.get()];
        if (!made) made = std::make_shared<File>(*entry.file);
        return {made, nullptr};
    }
    void fill(const Directory& from, Directory& to) {
        for (const auto& [name, entry] : from.written) to.written.emplace(name, of(entry));
        for (const auto& [name, entry] : from.synced) to.synced.emplace(name, of(entry));
    }

private:
    std::map<const Directory*, DirectoryPtr> directories_;
    std::map<const File*, FilePtr> files_;
};

std::unique_ptr<CrashDisk> CrashDisk::clone() const {
    auto copy = std::make_unique<CrashDisk>(names_);
    const Lock lock(mutex_);
    Cloning cloning(root_, copy->root_);
    cloning.fill(*root_, *copy->root_);
    for (const Change& each : changes_)
        copy->changes_.push_back({cloning.of(each.in), each.name, each.to, cloning.of(each.entry), each.is_removal});
    return copy;
}

void CrashDisk::lose_unsynced(std::uint64_t seed) {
    const Lock lock(mutex_);
    std::mt19937_64 random(seed);
    constexpr std::array<std::uint64_t, 5> chances{0, 10, 50, 90, 100};
    const std::uint64_t chance = chances[below(random, chances.size())];
    const auto journal = [this](const Change& each) {
        return names_ == Names::with_any_sync ? nullptr : each.in.get();
    };
    std::map<const Directory*, std::uint64_t> made, left;  // changes, and those that reach the disk: the first ones
    for (const Change& each : changes_) ++made[journal(each)];
    for (const Change& each : changes_) {
        const auto [of, is_new] = left.try_emplace(journal(each));
        if (is_new) of->second = below(random, made.at(of->first) + 1);
        if (of->second == 0) continue;
        --of->second;
        apply(each, each.in->synced);
    }
    changes_.clear();
    std::set<const File*> done;
    std::vector<Directory*> to_do{root_.get()};
    while (!to_do.empty()) {
        Directory& directory = *to_do.back();
        to_do.pop_back();
        directory.written = directory.synced;
        for (const auto& [name, entry] : directory.synced) {
            if (entry.directory) to_do.push_back(entry.directory.get());
            if (entry.file && done.insert(entry.file.get()).second) entry.file->lose_unsynced(random, chance);
        }
    }
}

CrashDisk::DirectoryPtr CrashDisk::directory_at(const std::string& path) const {
    DirectoryPtr directory = root_;
    for (std::size_t at = 1; directory && at < path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const auto found = directory->written.find(path.substr(at, end - at));
        directory = found == directory->written.end() ? nullptr : found->second.directory;
        at = end + 1;
    }
    return directory;
}

CrashDisk::DirectoryPtr CrashDisk::parent_of(const std::string& path) const { return directory_at(parent_path(path)); }

CrashDisk::Entry CrashDisk::entry_at(const std::string& path) const {
    const DirectoryPtr parent = parent_of(path);
    if (!parent) return {};
    const auto found = parent->written.find(name_of(path));
    return found == parent->written.end() ? Entry{} : found->second;
}

std::vector<std::string> CrashDisk::paths() const {
    const Lock lock(mutex_);
    std::vector<std::string> all;
    std::vector<std::pair<std::string, const Directory*>> to_do{{"/", root_.get()}};
    while (!to_do.empty()) {
        const auto [path, directory] = to_do.back();
        to_do.pop_back();
        for (const auto& [name, entry] : directory->written) {
            if (entry.directory) to_do.emplace_back(path + name + '/', entry.directory.get());
            if (entry.file) all.push_back(path + name);
        }
    }
    std::sort(all.begin(), all.end());
    return all;
}

void CrashDisk::set_content(const std::string& path, std::string bytes) {
    const Lock lock(mutex_);
    const auto file = std::make_shared<File>(kind_of(path));
    file->written = file->synced = std::move(bytes);
    Directory& directory = *parent_of(path);
    directory.written[name_of(path)] = directory.synced[name_of(path)] = {file, nullptr};
}

void CrashDisk::erase(const std::string& path) {
    const Lock lock(mutex_);
    Directory& directory = *parent_of(path);
    directory.written.erase(name_of(path));
    directory.synced.erase(name_of(path));
}

void CrashDisk::apply(const Change& change, Entries& entries) {
    if (change.is_removal || !change.to.empty()) entries.erase(change.name);
    if (!change.is_removal) entries[change.to.empty() ? change.name : change.to] = change.entry;
}

DiskError CrashDisk::change(Process by, Change change) {
    if (!is_current(by)) return DiskError::failed;
    if (!change.in) return DiskError::not_found;
    apply(change, change.in->written);
    changes_.push_back(std::move(change));
    return counts_to_stop() ? DiskError::failed : DiskError::none;
}

// Of one directory, or of all.
void CrashDisk::sync_names(const Directory* directory) {
    const auto left = std::stable_partition(changes_.begin(), changes_.end(), [&](const Change& each) {
        return directory == nullptr || each.in.get() == directory;
    });
    for (auto each = changes_.begin(); each != left; ++each) apply(*each, each->in->synced);
    changes_.erase(changes_.begin(), left);
}

CrashDisk::FilePtr CrashDisk::find(Process by, const std::string& path, DiskError& error) {
    const Lock lock(mutex_);
    error = DiskError::failed;
    if (!is_current(by)) return nullptr;
    FilePtr file = entry_at(path).file;
    error = file ? DiskError::none : DiskError::not_found;
    return file;
}

CrashDisk::FilePtr CrashDisk::create(Process by, const std::string& path, bool anew, DiskError& error) {
    const Lock lock(mutex_);
    error = is_current(by) ? DiskError::none : DiskError::failed;
    if (error != DiskError::none) return nullptr;
    if (FilePtr file = entry_at(path).file) {
        if (anew) file->written.clear();
        return file;
    }
    auto file = std::make_shared<File>(kind_of(path));
    error = change(by, {parent_of(path), name_of(path), {}, {file, nullptr}});
    return error == DiskError::none ? file : nullptr;
}

DiskError CrashDisk::make_directory(Process by, const std::string& path) {
    const Lock lock(mutex_);
    if (entry_at(path).exists()) return DiskError::failed;
    return change(by, {parent_of(path), name_of(path), {}, {nullptr, std::make_shared<Directory>()}});
}

bool CrashDisk::is_directory(const std::string& path) const {
    const Lock lock(mutex_);
    return directory_at(path) != nullptr;
}

DiskError CrashDisk::remove(Process by, const std::string& path) {
    const Lock lock(mutex_);
    const Entry entry = entry_at(path);
    if (is_current(by) && !entry.exists()) return DiskError::not_found;
    if (entry.directory && !entry.directory->written.empty()) return DiskError::failed;
    return change(by, {parent_of(path), name_of(path), {}, {}, true});
}

DiskError CrashDisk::rename(Process by, const std::string& from, const std::string& to) {
    const Lock lock(mutex_);
    const Entry entry = entry_at(from), before = entry_at(to);
    if (is_current(by) && !entry.exists()) return DiskError::not_found;
    if (parent_path(from) != parent_path(to)) return DiskError::failed;
    if (before.directory && !before.directory->written.empty()) return DiskError::failed;
    return change(by, {parent_of(from), name_of(from), name_of(to), entry});
}

DiskError CrashDisk::link(Process by, const std::string& from, const std::string& to) {
    const Lock lock(mutex_);
    const Entry entry = entry_at(from);
    if (is_current(by) && !entry.file) return DiskError::not_found;
    if (entry_at(to).exists()) return DiskError::failed;
    return change(by, {parent_of(to), name_of(to), {}, entry});
}

DiskError CrashDisk::sync_directory(Process by, const std::string& path) {
    const Lock lock(mutex_);
    if (!is_current(by) || counts_to_stop() || meets_fault(Access::sync, FileKind::other)) return DiskError::failed;
    const DirectoryPtr directory = directory_at(path);
    if (!directory) return DiskError::not_found;
    ++traffic_of(FileKind::other).syncs;
    if (!ignores_syncs_) sync_names(names_ == Names::with_directory ? directory.get() : nullptr);
    return DiskError::none;
}

DiskError CrashDisk::list(Process by, const std::string& path, std::vector<std::string>& names) const {
    const Lock lock(mutex_);
    const DirectoryPtr directory = directory_at(path);
    if (!directory) return DiskError::not_found;
    if (!is_current(by)) return DiskError::failed;
    for (const auto& [name, entry] : directory->written) names.push_back(name);
    return DiskError::none;
}

}  // namespace sluice::testing
