#include "config/store_folder.hpp"

namespace sluice::config {

std::optional<std::string> store_folder(const StoreOptions& options, const Environment& environment) {
    if (options.path) return options.path;
    // The XDG Base Directory Specification: a path that is not absolute is to be ignored.
    const auto folder = [&](const char* name) {
        const char* const value = environment(name);
        return std::string(value != nullptr && *value == '/' ? value : "");
    };
    if (const std::string state = folder("STATE_DIRECTORY"); !state.empty())
        return state.substr(0, state.find(':')) + "/store";  // the first, if the unit has several
    if (const std::string state = folder("XDG_STATE_HOME"); !state.empty()) return state + "/sluice/store";
    if (const std::string home = folder("HOME"); !home.empty()) return home + "/.local/state/sluice/store";
    return std::nullopt;
}

}  // namespace sluice::config
