// The command line of sluiced. Here, since the client prints manual page and shell completion of both programs. Called
// from main, on one thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

namespace sluice::base {

struct DaemonArguments {
    std::optional<std::filesystem::path> config;
    std::vector<std::string> overrides;  // "http.port=0"
    bool check_config = false;
    bool print_defaults = false;
};

// Parsing it stores what is given in `arguments`, which must live as long.
std::shared_ptr<CLI::App> daemon_command_line(DaemonArguments& arguments);

}  // namespace sluice::base
