// Runs a command of the client as main does, and keeps what it prints.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "broker/cli/common/console.hpp"

namespace sluice::cli::test {

// What a command printed, and its exit status.
struct Ran {
    int exit_status;
    std::string out, err;
};

// The messages but for the one that tells what has been subscribed to.
inline std::string without_subscribed(std::string messages) {
    const std::size_t begin = messages.find("sluice: subscribed to ");
    if (begin == std::string::npos) throw std::runtime_error("not told of the subscription: " + messages);
    return messages.erase(begin, messages.find('\n', begin) + 1 - begin);
}

template <class Options>
Ran run(int (*command)(const Options&, Console), const Options& options) {
    std::ostringstream out, err;
    Console console{out, err};
    console.json = options.json;
    const int exit_status = command(options, console);
    return {exit_status, out.str(), err.str()};
}

// A file that lasts as long as the test.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& bytes, std::string name = "feed.xml") : name_(std::move(name)) {
        auto pattern = (std::filesystem::temp_directory_path() / "sluice-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
        folder_ = pattern;
        std::ofstream(path(), std::ios::binary) << bytes;
    }
    ~TemporaryFile() { std::filesystem::remove_all(folder_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    std::string path() const { return (folder_ / name_).string(); }

private:
    std::filesystem::path folder_;
    std::string name_;
};

}  // namespace sluice::cli::test
