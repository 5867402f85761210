#include "broker/auth/scope.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::auth {

namespace {

using Patterns = std::vector<std::string>;  // none: no stream

Patterns patterns_of(const text::StreamSelection& streams) {
    if (streams.is_all()) return {"*"};
    Patterns patterns = streams.names();
    for (const std::string& prefix : streams.prefixes()) patterns.push_back(prefix + "*");
    return patterns;
}

bool is_open(std::string_view pattern) { return pattern.ends_with('*'); }

// Whether the streams of `pattern` are among those of `other`.
bool includes(std::string_view other, std::string_view pattern) {
    if (!is_open(other)) return other == pattern;
    return pattern.starts_with(other.substr(0, other.size() - 1));
}

bool includes(const Patterns& others, std::string_view pattern) {
    return std::any_of(others.begin(), others.end(),
                       [pattern](const std::string& other) { return includes(other, pattern); });
}

Patterns common(const Patterns& a, const Patterns& b) {
    Patterns found;
    for (const std::string& pattern : a)
        if (includes(b, pattern)) found.push_back(pattern);
    for (const std::string& pattern : b)
        if (includes(a, pattern)) found.push_back(pattern);
    return found;
}

bool is_same(const std::shared_ptr<const RowFilter>& a, const std::shared_ptr<const RowFilter>& b) {
    return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace

bool operator==(const Scope::Part& a, const Scope::Part& b) {
    return a.streams == b.streams && is_same(a.filter, b.filter);
}

Scope::Scope(text::StreamSelection streams) : streams_(std::move(streams)), parts_{{streams_}} {}

Scope::Scope(const text::StreamSelection& streams, const Rights& rights) {
    is_restricted_ = !rights.sees_everything();
    const Patterns wanted = patterns_of(streams);
    Patterns free;  // of which every event may be seen
    for (const ReadGrant& grant : rights.subscribe) {
        if (grant.filter != nullptr) continue;
        for (std::string& pattern : common(wanted, patterns_of(grant.streams))) free.push_back(std::move(pattern));
    }
    struct Filtered {
        std::shared_ptr<const RowFilter> filter;
        Patterns patterns;
    };
    std::vector<Filtered> filtered;
    Patterns all = free;
    for (const ReadGrant& grant : rights.subscribe) {
        if (grant.filter == nullptr) continue;
        Patterns patterns = common(wanted, patterns_of(grant.streams));
        std::erase_if(patterns, [&free](const std::string& pattern) { return includes(free, pattern); });
        if (patterns.empty()) continue;
        all.insert(all.end(), patterns.begin(), patterns.end());
        auto same = std::find_if(filtered.begin(), filtered.end(),
                                 [&](const Filtered& each) { return is_same(each.filter, grant.filter); });
        if (same == filtered.end()) same = filtered.insert(same, {grant.filter, {}});
        same->patterns.insert(same->patterns.end(), patterns.begin(), patterns.end());
    }
    if (all.empty()) return;
    streams_ = text::StreamSelection(all);
    if (!free.empty()) parts_.push_back({text::StreamSelection(free)});
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
