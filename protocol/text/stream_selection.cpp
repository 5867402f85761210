#include "protocol/text/stream_selection.hpp"

#include <algorithm>
#include <utility>

#include "protocol/text/stream_name.hpp"

namespace sluice::text {

namespace {

constexpr std::string_view every_stream = "*", prefix_end = ".*";

void sort_and_unite(std::vector<std::string>& texts) {
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

bool begins_with_any(std::string_view stream, const std::vector<std::string>& prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [stream](const std::string& prefix) { return stream.starts_with(prefix); });
}

}  // namespace

bool StreamSelection::is_pattern(std::string_view text) {
    if (text == every_stream || is_stream_name(text)) return true;
    if (!text.ends_with(prefix_end) || text.size() == prefix_end.size()) return false;
    // The shortest name that it includes.
    std::string name(text);
    name.back() = '0';
    return is_stream_name(name);
}

StreamSelection::StreamSelection(std::span<const std::string> patterns) {
    if (std::find(patterns.begin(), patterns.end(), every_stream) != patterns.end()) return;
    for (const std::string& pattern : patterns) {
        if (pattern.ends_with(prefix_end))
            prefixes_.push_back(pattern.substr(0, pattern.size() - 1));
        else
            names_.push_back(pattern);
    }
    sort_and_unite(prefixes_);
    // One that includes another comes somewhere before it.
    std::vector<std::string> kept;
    for (std::string& prefix : prefixes_)
        if (!begins_with_any(prefix, kept)) kept.push_back(std::move(prefix));
    prefixes_ = std::move(kept);
    sort_and_unite(names_);
    std::erase_if(names_, [this](const std::string& name) { return begins_with_any(name, prefixes_); });
}

const std::string& StreamSelection::single() const {
    static const std::string none;
    return names_.size() == 1 && prefixes_.empty() ? names_.front() : none;
}

bool StreamSelection::matches(std::string_view stream) const {
    return is_all() || std::binary_search(names_.begin(), names_.end(), stream) || begins_with_any(stream, prefixes_);
}

bool StreamSelection::includes(std::string_view pattern) const {
    if (!pattern.ends_with(prefix_end)) return matches(pattern);  // "*" is the name of none
    return is_all() || begins_with_any(pattern.substr(0, pattern.size() - 1), prefixes_);
}

bool StreamSelection::includes(const StreamSelection& other) const {
    const std::vector<std::string> patterns = other.patterns();
    return std::all_of(patterns.begin(), patterns.end(), [this](const std::string& each) { return includes(each); });
}

std::vector<std::string> StreamSelection::patterns() const {
    if (is_all()) return {std::string(every_stream)};
    std::vector<std::string> patterns = names_;
    for (const std::string& prefix : prefixes_) patterns.push_back(prefix + '*');
    return patterns;
}

std::vector<std::string> common(const StreamSelection& a, const StreamSelection& b) {
    std::vector<std::string> found;
    for (std::string& pattern : a.patterns())
        if (b.includes(pattern)) found.push_back(std::move(pattern));
    for (std::string& pattern : b.patterns())
        if (a.includes(pattern)) found.push_back(std::move(pattern));
    sort_and_unite(found);
    return found;
}

}  // namespace sluice::text
