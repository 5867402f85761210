#include "broker/store/offline/opened_store.hpp"

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "broker/store/rocks/database/folder_fault.hpp"

namespace sluice::store {

std::string store_folder_of(const std::string& given) {
    std::string path = given;
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (const std::string why = find_fault_in_folder(path, FolderUse::read); !why.empty())
        throw std::runtime_error("the store in " + path + " can't be opened: " + why);
    if (!std::filesystem::is_directory(path)) throw std::runtime_error("there is no folder " + path);
    return path;
}

void require_store(const std::string& path) {
    if (!std::filesystem::exists(path + "/CURRENT"))
        throw std::runtime_error("there is no store in " + path +
                                 ": it has no file CURRENT; check the path; else restore a backup");
}

std::unique_ptr<Database> open_to_read(const std::string& path, bool others_write, std::optional<Fault>* fault) {
    constexpr std::size_t memory = 64u << 20;
    const int tries = others_write ? 5 : 1;  // while files are replaced
    require_store(path);
    Database::Settings settings;
    settings.path = path;
    settings.memory = memory;
    settings.reads_only = true;
    settings.others_write = others_write;
    settings.begin_compaction = [] { return [](Family, std::string_view, std::string_view) { return false; }; };
    Database::Opened opened;
    for (int n = 0; n < tries; ++n) {
        opened = Database::open(settings);
        if (!opened.fault) break;
    }
    if (opened.database == nullptr || (opened.fault && fault == nullptr))
        throw std::runtime_error("the store in " + path + " can't be read: " + opened.fault->what);
    if (fault != nullptr) *fault = std::move(opened.fault);
    return std::move(opened.database);
}

}  // namespace sluice::store
