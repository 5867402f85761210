// The memory that the trees of documents take: a meter for what parsing actually allocated. Any thread.
#pragma once

#include <cstddef>

namespace sluice::feed {

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
