// Decompresses a gzip body (RFC 1952, several members allowed) up to a bound. Pure; any thread.
#pragma once

#include <boost/system/result.hpp>
#include <boost/throw_exception.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sluice {

enum class GunzipError : std::uint8_t { corrupt, too_large };

[[noreturn]] inline void throw_exception_from_error(GunzipError, const boost::source_location&) {
    throw std::runtime_error("gunzip");
}

boost::system::result<std::string, GunzipError> gunzip(std::string_view compressed, std::size_t bytes_max);

}  // namespace sluice
