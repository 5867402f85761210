// The bytes of a file or of standard input as they come, decompressed if they are gzip (RFC 1952; several members, as
// bgzip writes them, are one file). Keeps a bounded part in memory. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "broker/cli/common/gunzip_stream.hpp"

namespace sluice::cli {

class InputFile {
public:
    // `path`: "-" is standard input. While it waits for input, the file calls `is_stopped` at least every 0.1 s, and
    // reads no more once that returns true.
    explicit InputFile(const std::string& path, std::function<bool()> is_stopped = {});
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    // Reads at most `room` bytes, which is not 0, and returns how many; 0: at the end, after an error and when stopped.
    std::size_t read(char* to, std::size_t room);
    // Reads until there are `room` bytes; fewer for the reasons above.
    std::size_t read_fully(char* to, std::size_t room);

    // Empty, or why the file can't be read: "No such file or directory", "it is not complete and valid gzip".
    const std::string& error() const { return error_; }
    bool has_ended() const { return has_ended_; }
    bool is_gzip() const { return gunzip_.has_value(); }
    // Of the file as it is stored, so compressed bytes of gzip.
    std::uint64_t stored_bytes_read() const { return stored_bytes_read_; }
    std::optional<std::uint64_t> stored_size() const;  // of a regular file

private:
    std::size_t read_stored(char* to, std::size_t room);
    std::size_t read_plain(char* to, std::size_t room);
    std::size_t read_gzip(char* to, std::size_t room);
    bool wait_for_input() const;
    void detect_gzip();

    std::function<bool()> is_stopped_;
    int file_;
    bool is_detected_ = false, has_ended_ = false, is_stored_read_ = false;
    std::string stored_;  // read, from stored_begin_ on not yet given
    std::size_t stored_begin_ = 0;
    std::optional<GunzipStream> gunzip_;  // none: not gzip
    std::uint64_t stored_bytes_read_ = 0;
    std::string error_;
};

// As InputFile::stored_size(), without opening it; none of standard input, either.
std::optional<std::uint64_t> stored_size(const std::string& path);

// The whole of a file, or of standard input, and an error as that of InputFile: "it has more than 1048576 bytes".
struct WholeFile {
    std::string bytes, error;
};
WholeFile read_whole_file(const std::string& path, std::size_t bytes_max = std::numeric_limits<std::size_t>::max());
// What a file that is read as a whole has when decompressed, at most: a small one may be endless.
constexpr std::size_t whole_gzip_bytes_max = std::size_t{4} << 30;

}  // namespace sluice::cli
