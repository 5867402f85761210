// Reads the files named on the command line. Any thread.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace sluice::cli {

// The bytes of a file, or of standard input if `path` is "-". The error says why it can't be read.
// A file with more bytes than `bytes_max` is an error, too.
boost::system::result<std::string> read_input(const std::string& path,
                                              std::size_t bytes_max = std::numeric_limits<std::size_t>::max());

bool is_gzip(std::string_view bytes);

// The first 64 KiB of what gzip has compressed, or less: enough to recognise its format.
std::string unpacked_beginning(std::string_view gzip);

// The name of what a compressed file contains: "x.rss" for "x.rss.gz". Other names stay.
std::string_view inner_name(std::string_view path);

// A file's bytes, decompressed if they are gzip, to at most so many.
struct Unpacked {
    std::string bytes;
    std::string error;  // empty: none
};
Unpacked unpack(std::string bytes, std::size_t bytes_max);
Unpacked read_unpacked(const std::string& path, std::size_t bytes_max);

// The name of `path` in messages.
std::string input_name(const std::string& path);

// "can't read news.rss: No such file or directory". Of the address of a page it also says how to read that.
std::string describe_unreadable(const std::string& path, const std::string& reason);

}  // namespace sluice::cli
