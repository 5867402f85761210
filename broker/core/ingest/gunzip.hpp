// Decompresses a gzip body (RFC 1952; several members, and zero bytes behind them) up to a size limit. Any thread.
#pragma once

#include <boost/system/result.hpp>
#include <boost/throw_exception.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sluice::broker {

enum class GunzipError : std::uint8_t { not_gzip, corrupt, too_large, no_room };

[[noreturn]] inline void throw_exception_from_error(GunzipError, const boost::source_location&) {
    throw std::runtime_error("gunzip");
}

// Returns whether there is memory for this many bytes; called before each growth with the total then held.
using GunzipRoom = std::function<bool(std::size_t)>;

boost::system::result<std::string, GunzipError> gunzip(std::string_view compressed, std::size_t bytes_max,
                                                       const GunzipRoom& has_room = nullptr);

}  // namespace sluice::broker
