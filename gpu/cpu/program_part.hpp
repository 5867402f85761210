// A segment of a program, and the entries removed since the segment was made. Immutable; any thread.
#pragma once

#include <memory>

#include "gpu/cpu/segment/bitmap.hpp"
#include "gpu/cpu/segment/segment.hpp"

namespace sluice::cpu {

struct ProgramPart {
    std::shared_ptr<const Segment> segment;
    std::shared_ptr<const Bitmap> removed;  // null: none
};

}  // namespace sluice::cpu
