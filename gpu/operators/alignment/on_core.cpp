#include "gpu/operators/alignment/on_core.hpp"

#include "gpu/operators/alignment/dispatch.hpp"

namespace sluice::alignment {

EndPoint align_on_core(const Scheme& scheme, Mode mode, Codes query, Codes text, const Progress& progress,
                       InstructionSet set) {
    ScoreTables tables(scheme);
    return CoreAligner(scheme, mode, tables, set).align(query, text, true, 1, progress).end;
}

}  // namespace sluice::alignment
