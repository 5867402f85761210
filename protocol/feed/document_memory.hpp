// The memory that a document takes, including its tree, which may be thirty times its bytes: an upper bound computed
// from the bytes before parsing, and a meter for what parsing actually took. Any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/feed/document.hpp"

namespace sluice::feed {

// An upper bound for the document of these bytes, during parsing, repair if that is allowed, and afterwards.
std::size_t document_memory_max(std::string_view bytes, const DocumentOptions& options);

// Longer names of elements count against the document's text.
inline constexpr std::size_t plain_name_bytes = 24;

// Bytes that pugixml has allocated in this thread since the meter was made, less those it has freed. One meter at a
// time per thread.
class TreeMemoryMeter {
public:
    TreeMemoryMeter();
    std::size_t bytes() const;
    // Whether it could not allocate something. pugixml then leaves out nodes, or reports it as a fault of the document.
    bool has_failed() const;

private:
    std::size_t begin_;
    std::size_t failures_before_;
};

}  // namespace sluice::feed
