#include "broker/auth/rights.hpp"

#include <algorithm>

namespace sluice::auth {

bool is_same(const std::shared_ptr<const RowFilter>& a, const std::shared_ptr<const RowFilter>& b) {
    return a == b || (a != nullptr && b != nullptr && *a == *b);
}

Rights Rights::everything() { return {text::StreamSelection(), text::StreamSelection(), {ReadGrant{}}, true}; }

bool Rights::may_subscribe(std::string_view stream) const {
    return std::any_of(subscribe.begin(), subscribe.end(),
                       [stream](const ReadGrant& grant) { return grant.streams.matches(stream); });
}

bool Rights::may_see(std::string_view stream) const {
    return operate || may_publish(stream) || may_manage(stream) || may_subscribe(stream);
}

bool Rights::may_see_figures(std::string_view stream) const {
    return operate || may_manage(stream) ||
           std::any_of(subscribe.begin(), subscribe.end(), [stream](const ReadGrant& grant) {
               return grant.filter == nullptr && grant.streams.matches(stream);
           });
}

bool Rights::sees_everything() const {
    return std::any_of(subscribe.begin(), subscribe.end(),
                       [](const ReadGrant& grant) { return grant.filter == nullptr && grant.streams.is_all(); });
}

}  // namespace sluice::auth
