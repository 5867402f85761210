// The memory that a document takes, including its tree, which may be thirty times its bytes: an upper bound computed
// from the bytes before parsing. Pure function; any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/feed/model/document.hpp"

namespace sluice::feed {

// An upper bound for the document of these bytes, during parsing, repair if that is allowed, and afterwards.
std::size_t document_memory_max(std::string_view document, const DocumentOptions& options);

}  // namespace sluice::feed
