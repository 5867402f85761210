#include "broker/cli/input.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>

namespace sluice::cli {

boost::system::result<std::string> read_input(const std::string& path) {
    const auto close = [](std::FILE* file) { return file == stdin ? 0 : std::fclose(file); };
    const std::unique_ptr<std::FILE, decltype(close)> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"), close);
    const auto last_error = [] { return boost::system::error_code(errno, boost::system::system_category()); };
    if (!file) return last_error();
    std::string bytes;
    char piece[65536];
    try {
        while (const auto size = std::fread(piece, 1, sizeof piece, file.get())) bytes.append(piece, size);
    } catch (const std::bad_alloc&) {
        return make_error_code(boost::system::errc::not_enough_memory);
    }
    if (std::ferror(file.get())) return last_error();
    return bytes;
}

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace sluice::cli
