#include <filesystem>
#include <system_error>

#include "broker/store/rocks/backup.hpp"

namespace sluice::store {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t name_bytes_max = 1'024;

BackupRefusal refusal(std::string what) { return {BackupRefusal::Reason::path, std::move(what)}; }

bool is_below(const fs::path& path, const fs::path& root) {
    auto part = path.begin();
    for (const fs::path& each : root)
        if (part == path.end() || *part++ != each) return false;
    return part != path.end();
}

}  // namespace

boost::system::result<std::string, BackupRefusal> backup_folder(const std::string& root, const std::string& name) {
    if (name.empty() || name.size() > name_bytes_max || name.find('\0') != std::string::npos || name.ends_with('/'))
        return refusal("the path of a backup has 1 to " + std::to_string(name_bytes_max) +
                       " bytes, no NUL, and no slash at its end");
    const fs::path given(name);
    for (const fs::path& part : given)
        if (part == "." || part == "..") return refusal("the path of a backup has no part \"" + part.string() + "\"");
    std::error_code error;
    const auto failed = [&](const fs::path& path) {
        return BackupRefusal{BackupRefusal::Reason::failed, path.string() + ": " + error.message()};
    };
    const auto make = [&](const fs::path& path) {
        if (!fs::create_directory(path, error) || error) return;
        fs::permissions(path, fs::perms::owner_all, error);
    };
    const fs::path absolute_root = fs::absolute(root, error).lexically_normal();
    if (error) return failed(root);
    make(absolute_root);
    if (error) return failed(absolute_root);
    const fs::path real_root = fs::canonical(absolute_root, error);
    if (error) return failed(absolute_root);
    const auto outside = [&] { return refusal(name + " is not below " + absolute_root.string() + " (store.backups)"); };
    fs::path relative = given;
    if (given.is_absolute()) {
        const fs::path& base = is_below(given, real_root) ? real_root : absolute_root;
        if (!is_below(given, base)) return outside();
        relative = given.lexically_relative(base);
    }
    fs::path folder = real_root;
    for (const fs::path& part : relative.parent_path()) {  // each may be a link to somewhere else
        folder /= part;
        make(folder);
        if (error) return failed(folder);
        folder = fs::canonical(folder, error);
        if (error) return failed(folder);
        if (!is_below(folder, real_root)) return outside();
    }
    folder /= relative.filename();
    if (fs::symlink_status(folder, error).type() != fs::file_type::not_found)
        return BackupRefusal{BackupRefusal::Reason::exists, folder.string() + " exists already"};
    return folder.string();
}

}  // namespace sluice::store
