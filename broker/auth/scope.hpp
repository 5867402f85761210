// Which events a subscription may get: those of the streams that it names, as far as its user may see them. An
// immutable value; any thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "broker/auth/rights.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::auth {

class Scope {
public:
    using Part = ReadGrant;  // no two have the same filter

    // Every event of every stream.
    Scope() : Scope(text::StreamSelection()) {}
    // Every event of these streams.
    explicit Scope(text::StreamSelection streams);
    // Those of them that a user with these rights may see. Streams that come into being later are included.
    Scope(const text::StreamSelection& streams, const Rights& rights);

    bool is_empty() const { return parts_.empty(); }     // it permits nothing: streams() has no meaning
    bool is_filtered() const;                            // a part has a filter
    bool is_everything() const;                          // every event of every stream
    bool permits_all_of(std::string_view stream) const;  // every event of this stream
    // There may be events of other streams, or others of these, of which its user is to learn nothing.
    bool is_restricted() const { return is_restricted_; }
    const text::StreamSelection& streams() const { return streams_; }  // of all parts
    std::span<const Part> parts() const { return parts_; }

    // Whether they permit the same.
    friend bool operator==(const Scope& a, const Scope& b) { return a.streams_ == b.streams_ && a.parts_ == b.parts_; }

private:
    text::StreamSelection streams_;
    std::vector<Part> parts_;
    bool is_restricted_ = false;
};

}  // namespace sluice::auth
