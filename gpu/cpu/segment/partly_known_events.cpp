#include "gpu/cpu/segment/partly_known_events.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace sluice::cpu {

namespace {

constexpr double ns_per_entry = 100;  // a rough estimate

}  // namespace

// Of all literals but those measured ones whose attribute is known. Scanned literals are asked last.
PartlyKnownEvents::Verdict PartlyKnownEvents::verdict(std::span<const std::uint32_t> codes, std::uint32_t event) {
    Verdict verdict = Verdict::holds;
    for (const std::uint32_t bits : codes) {
        const engine::LiteralCode code(bits);
        if (code.family() == engine::Family::scanned) continue;
        if (!is_known(code, event))
            verdict = Verdict::unknown;
        else if (code.family() != engine::Family::measured && !tables_.holds(code, state_))
            return Verdict::fails;
    }
    for (const std::uint32_t bits : codes) {
        const engine::LiteralCode code(bits);
        if (code.family() != engine::Family::scanned) continue;
        const std::optional<bool> answer = scans_.holds(tables_.scanned(code), code.negated(), event);
        if (!answer.value_or(true)) return Verdict::fails;
        if (!answer) verdict = Verdict::unknown;
    }
    return verdict;
}

void PartlyKnownEvents::match(const Rows& rows, const Output& output) {
    struct Deferred {
        Accepted row;
        bool known;
        std::size_t first_code, codes;
    };
    std::vector<Deferred> deferred;
    std::vector<std::uint32_t>& deferred_codes = output.deferred_codes;
    deferred_codes.clear();
    for (auto at = batch_.unknown.begin(); at != batch_.unknown.end();) {
        const std::uint32_t event = at->event;
        at = std::find_if(at, batch_.unknown.end(), [&](const auto& unknown) { return unknown.event != event; });
        if (batch_.pause) batch_.pause(ns_per_entry * static_cast<double>(rows.entries));
        shared_.evaluate(event, state_);
        const auto match_row = [&](std::uint32_t target, std::span<const std::uint32_t> codes) {
            const Verdict found = verdict(codes, event);
            if (found == Verdict::fails) return;
            const Accepted row{target, event / 32, 1u << event % 32};
            const std::size_t first = deferred_codes.size();
            std::copy_if(codes.begin(), codes.end(), std::back_inserter(deferred_codes), [&](std::uint32_t bits) {
                return engine::is_measured(bits) && is_known(engine::LiteralCode(bits), event);
            });
            if (deferred_codes.size() > first)
                deferred.push_back({row, found == Verdict::holds, first, deferred_codes.size() - first});
            else
                (found == Verdict::holds ? output.accepted : scans_.undecided()).push_back(row);
        };
        rows.access.for_each(match_row);
        rows.clusters.for_each(match_row);
        tables_.forget(state_);
    }
    const std::span<const std::uint32_t> all_codes(deferred_codes);  // which stay in place from here on
    for (const Deferred& d : deferred)
        output.deferred.add(d.row, d.known ? 0 : d.row.events, all_codes.subspan(d.first_code, d.codes));
}

}  // namespace sluice::cpu
