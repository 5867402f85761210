// What a user may do. Plain values, which do not change once a user has them; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/api/predicate.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::auth {

// A condition on the events that a user may see: it is part of every subscription of theirs (row-level permission).
// Looks at nothing beside the item, and has no computed conditions.
struct RowFilter {
    std::string text;       // as it was given
    std::string canonical;  // equal for filters that mean the same
    engine::Disjunction disjunction;

    friend bool operator==(const RowFilter& a, const RowFilter& b) { return a.canonical == b.canonical; }
};

// Whether they mean the same, or both are null.
bool is_same(const std::shared_ptr<const RowFilter>& a, const std::shared_ptr<const RowFilter>& b);

// Which events of some streams a user may see.
struct ReadGrant {
    text::StreamSelection streams;
    std::shared_ptr<const RowFilter> filter{};  // null: every event

    friend bool operator==(const ReadGrant& a, const ReadGrant& b) {
        return is_same(a.filter, b.filter) && a.streams == b.streams;
    }
};

struct Rights {
    std::optional<text::StreamSelection> publish{}, manage{};  // none: of no stream
    std::vector<ReadGrant> subscribe{};                        // an event may be seen if one of them permits it
    bool operate = false;                                      // status, metrics, backups, others' subscriptions

    static Rights everything();

    bool may_publish(std::string_view stream) const { return publish && publish->matches(stream); }
    bool may_manage(std::string_view stream) const { return manage && manage->matches(stream); }
    // Some of its events at least.
    bool may_subscribe(std::string_view stream) const;
    // Its name.
    bool may_see(std::string_view stream) const;
    // Its figures, which tell of all its events.
    bool may_see_figures(std::string_view stream) const;
    // Every event of every stream.
    bool sees_everything() const;

    friend bool operator==(const Rights&, const Rights&) = default;
};

}  // namespace sluice::auth
