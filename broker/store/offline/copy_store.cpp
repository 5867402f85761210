#include "broker/store/offline/copy_store.hpp"

#include <filesystem>
#include <stdexcept>

#include "broker/store/offline/opened_store.hpp"
#include "broker/store/rocks/backup.hpp"
#include "broker/store/rocks/store_lock.hpp"

namespace sluice::store {

namespace {

namespace fs = std::filesystem;

// Not RocksDB's own log, nor the file that it locks.
bool is_part_of_store(const std::string& name) { return !name.starts_with("LOG") && name != "LOCK"; }

// Tables never change, so the copy may share them with the store.
void link_or_copy(const fs::path& from, const fs::path& to) {
    std::error_code error;
    if (from.extension() == ".sst") fs::create_hard_link(from, to, error);
    if (from.extension() != ".sst" || error) fs::copy_file(from, to);
}

}  // namespace

Backup copy_store(const std::string& given, const std::string& given_folder) {
    const std::string path = store_folder_of(given);
    require_store(path);
    const StoreLock lock(path);
    const std::string folder = fs::absolute(given_folder).lexically_normal().string();
    if (folder.ends_with('/') || fs::symlink_status(folder).type() != fs::file_type::not_found)
        throw std::runtime_error(folder + " exists already");
    const std::string part = unfinished_backup(folder);
    fs::remove_all(part);  // of an attempt that was interrupted
    try {
        fs::create_directory(part);
        for (const auto& file : fs::directory_iterator(path))
            if (file.is_regular_file() && is_part_of_store(file.path().filename()))
                link_or_copy(file.path(), part / file.path().filename());
    } catch (const fs::filesystem_error& error) {
        std::error_code ignored;
        fs::remove_all(part, ignored);
        throw std::runtime_error(error.what());
    }
    auto backup = finish_backup(nullptr, folder);
    if (!backup) throw std::runtime_error("the store can't be copied: " + backup.error().what);
    return std::move(*backup);
}

}  // namespace sluice::store
