#include "broker/auth/scope.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace sluice::auth {

Scope::Scope(text::StreamSelection streams) : streams_(std::move(streams)), parts_{{streams_}} {}

Scope::Scope(const text::StreamSelection& streams, const Rights& rights) : is_restricted_(!rights.sees_everything()) {
    using Patterns = std::vector<std::string>;  // none: no stream
    const auto append = [](Patterns& to, const Patterns& more) { to.insert(to.end(), more.begin(), more.end()); };
    Patterns free;  // of which every event may be seen
    for (const ReadGrant& grant : rights.subscribe)
        if (grant.filter == nullptr) append(free, common(streams, grant.streams));
    const auto open = free.empty() ? std::nullopt : std::optional(text::StreamSelection(free));
    struct Filtered {
        std::shared_ptr<const RowFilter> filter;
        Patterns patterns;
    };
    std::vector<Filtered> filtered;
    Patterns all = free;
    for (const ReadGrant& grant : rights.subscribe) {
        if (grant.filter == nullptr) continue;
        Patterns patterns = common(streams, grant.streams);
        if (open) std::erase_if(patterns, [&](const std::string& pattern) { return open->includes(pattern); });
        if (patterns.empty()) continue;
        append(all, patterns);
        auto same = std::find_if(filtered.begin(), filtered.end(),
                                 [&](const Filtered& each) { return is_same(each.filter, grant.filter); });
        if (same == filtered.end()) same = filtered.insert(same, {grant.filter, {}});
        append(same->patterns, patterns);
    }
    if (all.empty()) return;
    streams_ = text::StreamSelection(all);
    if (open) parts_.push_back({*open});
    for (const Filtered& each : filtered) parts_.push_back({text::StreamSelection(each.patterns), each.filter});
}

bool Scope::is_filtered() const {
    return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.filter != nullptr; });
}

bool Scope::is_everything() const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const Part& part) { return part.filter == nullptr && part.streams.is_all(); });
}

bool Scope::permits_all_of(std::string_view stream) const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [stream](const Part& part) { return part.filter == nullptr && part.streams.matches(stream); });
}

}  // namespace sluice::auth
