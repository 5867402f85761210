// Decompresses a gzip body (RFC 1952, several members allowed) up to a size limit. Zeros behind a member are padding,
// as for gzip(1). Any thread.
#pragma once

#include <boost/system/result.hpp>
#include <boost/throw_exception.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sluice::wire {

enum class GunzipError : std::uint8_t {
    not_gzip,   // it does not begin as gzip
    truncated,  // it ends too early
    trailing,   // something other than zeros or another member follows a member
    corrupt,
    too_large,
    no_room,
};

[[noreturn]] inline void throw_exception_from_error(GunzipError, const boost::source_location&) {
    throw std::runtime_error("gunzip");
}

// Returns whether there is memory for this many bytes; called before each growth with the total then held.
using GunzipRoom = std::function<bool(std::size_t)>;

boost::system::result<std::string, GunzipError> gunzip(std::string_view compressed, std::size_t bytes_max,
                                                       const GunzipRoom& has_room = nullptr);

// What is wrong with `compressed`, to follow its name: "is not gzip: it begins with the bytes 3c 72 73 73". For errors
// other than too_large and no_room.
std::string describe(GunzipError error, std::string_view compressed);

}  // namespace sluice::wire
