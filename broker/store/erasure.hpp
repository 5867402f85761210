// What of a log must go with one event: the bytes of its item, wherever the log has them. Belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "broker/store/event_log.hpp"

namespace sluice::store {

class Erasure {
public:
    // Erases the event from what is kept of its append. None: it has no such event, or not any more.
    static std::optional<Erasure> begin(Kept& kept, std::uint64_t id);

    std::uint64_t id() const { return id_; }
    // Erases copies from what is kept of another append: dead letters made of the event, which become further ids(),
    // and the same item beside those of other events. Returns whether it had any.
    bool erase_from(Kept& kept);
    bool may_be_in(const Kept& kept) const;  // else erase_from() finds nothing
    // Of the event, and of its dead letters as far as they have been found.
    const std::set<std::uint64_t>& ids() const { return ids_; }

private:
    Erasure() = default;

    std::string stream_, item_;
    std::uint64_t id_ = 0;
    feed::RecordTime time_ = 0;
    std::set<std::uint64_t> ids_;
};

}  // namespace sluice::store
