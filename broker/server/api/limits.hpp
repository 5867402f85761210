// Converts the options into the limits of the protocol folder, and estimates how long workers take.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "config/options.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::server {

feed::FeedLimits feed_limits(const config::LimitOptions& options);
filter::FilterLimits filter_limits(const config::LimitOptions& options);
inline constexpr std::size_t syntax_times = 64;  // memory for compiling a filter, as a multiple of its text
// What the client asks for ("lenient", "strict"), or if that is empty the stream's; none: it is something else.
std::optional<feed::RepairMode> read_repair(std::string_view asked, const config::StreamOptions& of_stream);
// How long a worker may take for a document, to parse or match it, to unpack it (of compressed bytes) or to compute its
// digest; for a filter, to compile it; for a stream's options, to parse them; and for items, to look them up on disk.
// Rough guesses that let small ones overtake large ones.
inline std::chrono::nanoseconds document_estimate(std::size_t bytes) { return std::chrono::nanoseconds(20 * bytes); }
inline std::chrono::nanoseconds unpack_estimate(std::size_t bytes) { return std::chrono::nanoseconds(20 * bytes); }
inline std::chrono::nanoseconds digest_estimate(std::size_t bytes) { return std::chrono::nanoseconds(4 * bytes); }
inline std::chrono::nanoseconds options_estimate(std::size_t bytes) { return std::chrono::microseconds(bytes); }
inline std::chrono::nanoseconds filter_estimate(std::size_t bytes) { return std::chrono::microseconds(bytes); }
inline std::chrono::nanoseconds look_up_estimate(std::size_t items) { return std::chrono::microseconds(10 * items); }
inline constexpr std::chrono::seconds rewrite_estimate{1};  // to write a part of the store again, or copy it
// Until when a request that comes now may wait for a worker: publish.wait, but ten seconds at least, since workers have
// a low priority.
std::chrono::steady_clock::time_point worker_deadline(const config::PublishOptions& options);

}  // namespace sluice::server
