#include "broker/cli/common/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <utility>

#include "broker/cli/common/gunzip_stream.hpp"
#include "protocol/wire/http/gunzip.hpp"

namespace sluice::cli {

boost::system::result<std::string> read_input(const std::string& path, std::size_t bytes_max) {
    const auto close = [](std::FILE* file) { return file == stdin ? 0 : std::fclose(file); };
    const std::unique_ptr<std::FILE, decltype(close)> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"), close);
    const auto last_error = [] { return boost::system::error_code(errno, boost::system::system_category()); };
    if (!file) return last_error();
    std::string bytes;
    char piece[65536];
    try {
        while (const auto size = std::fread(piece, 1, sizeof piece, file.get())) {
            bytes.append(piece, size);
            if (bytes.size() > bytes_max) return make_error_code(boost::system::errc::file_too_large);
        }
    } catch (const std::bad_alloc&) {
        return make_error_code(boost::system::errc::not_enough_memory);
    }
    if (std::ferror(file.get())) return last_error();
    return bytes;
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

std::string unpacked_beginning(std::string_view gzip) {
    constexpr std::size_t bytes = 64u << 10;
    GunzipStream stream;
    stream.put(gzip.substr(0, bytes));
    std::string beginning;
    static_cast<void>(stream.take(beginning, bytes));
    return beginning;
}

std::string_view inner_name(std::string_view path) {
    constexpr std::string_view ending = ".gz";
    const auto is_same = [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b); };
    if (path.size() < ending.size() ||
        !std::equal(path.end() - static_cast<std::ptrdiff_t>(ending.size()), path.end(), ending.begin(), is_same))
        return path;
    return path.substr(0, path.size() - ending.size());
}

Unpacked unpack(std::string bytes, std::size_t bytes_max) {
    if (!is_gzip(bytes)) return {std::move(bytes), ""};
    auto plain = wire::gunzip(bytes, bytes_max);
    if (plain) return {std::move(*plain), ""};
    const bool is_too_large = plain.error() == wire::GunzipError::too_large;
    return {"", is_too_large ? "it is too long when decompressed" : "it is not complete and valid gzip"};
}

Unpacked read_unpacked(const std::string& path, std::size_t bytes_max) {
    auto bytes = read_input(path, bytes_max);
    if (!bytes) return {"", bytes.error().message()};
    return unpack(std::move(*bytes), bytes_max);
}

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string describe_unreadable(const std::string& path, const std::string& reason) {
    const bool is_address = path.starts_with("http://") || path.starts_with("https://");
    return "can't read " + input_name(path) + ": " +
           (is_address ? "expected a file, not an address; try curl -s " + path + " | sluice … -" : reason);
}

}  // namespace sluice::cli
