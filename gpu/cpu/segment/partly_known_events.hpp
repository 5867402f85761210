// Events of which some attributes are not known (EventBatch::unknown). An index can't find the rows that an unknown
// attribute may decide, so these events are compared with every row, literal by literal. Lives for one segment and
// batch; one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/api/event_batch.hpp"
#include "gpu/cpu/segment/accepted.hpp"
#include "gpu/cpu/segment/access_rows.hpp"
#include "gpu/cpu/segment/cluster_rows.hpp"
#include "gpu/cpu/segment/deferred_rows.hpp"
#include "gpu/cpu/segment/scan_cache.hpp"
#include "gpu/cpu/segment/shared_findings.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice::cpu {

class PartlyKnownEvents {
public:
    PartlyKnownEvents(const engine::PredicateTables& tables, const engine::EventBatch& batch, ScanCache& scans,
                      SharedFindings& shared, engine::EventState& state)
        : tables_(tables), batch_(batch), scans_(scans), shared_(shared), state_(state) {}

    // A segment's rows, and the number of its entries.
    struct Rows {
        const AccessRows& access;
        const ClusterRows& clusters;
        std::size_t entries;
    };
    struct Output {
        std::vector<Accepted>& accepted;
        DeferredRows& deferred;
        std::vector<std::uint32_t>& deferred_codes;  // of the rows in `deferred`; must outlive them
    };
    // Appends the rows that hold to output.accepted, and those that an undecided literal would decide to the undecided
    // ones of the ScanCache. Rows that measured literals can still rule out are deferred.
    void match(const Rows& rows, const Output& output);

private:
    // What the literals of a row say together.
    enum class Verdict : std::uint8_t { holds, unknown, fails };

    Verdict verdict(std::span<const std::uint32_t> codes, std::uint32_t event);
    bool is_known(engine::LiteralCode code, std::uint32_t event) const {
        return batch_.is_known(event, tables_.name(code));
    }

    const engine::PredicateTables& tables_;
    const engine::EventBatch& batch_;
    ScanCache& scans_;
    SharedFindings& shared_;
    engine::EventState& state_;
};

}  // namespace sluice::cpu
