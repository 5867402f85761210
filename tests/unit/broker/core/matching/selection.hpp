// One stream as a selection, or all for "", for tests.
#pragma once

#include <string>

#include "protocol/text/stream_selection.hpp"

namespace sluice::broker {

inline text::StreamSelection only(const std::string& stream) {
    return stream.empty() ? text::StreamSelection() : text::StreamSelection({&stream, 1});
}

}  // namespace sluice::broker
