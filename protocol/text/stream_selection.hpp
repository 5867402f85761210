// Which streams somebody wants: names, prefixes ("news.*"), or all ("*"). Plain values; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::text {

class StreamSelection {
public:
    static constexpr std::string_view rule = "a stream's name, a prefix of names such as news.*, or * for all streams";
    // A name, a prefix of one followed by ".*", or "*".
    static bool is_pattern(std::string_view text);

    StreamSelection() = default;  // all
    // Valid patterns. What another one includes is left out; all: "*" among them, or no pattern.
    explicit StreamSelection(std::span<const std::string> patterns);

    bool is_all() const { return names_.empty() && prefixes_.empty(); }
    // The only stream; empty: there may be others.
    const std::string& single() const;
    bool matches(std::string_view stream) const;
    // Whether every stream that the pattern or the other selection could select is among these.
    bool includes(std::string_view pattern) const;
    bool includes(const StreamSelection& other) const;

    const std::vector<std::string>& names() const { return names_; }        // ascending
    const std::vector<std::string>& prefixes() const { return prefixes_; }  // ascending, each with its last dot
    std::vector<std::string> patterns() const;                              // that select the same

    friend bool operator==(const StreamSelection&, const StreamSelection&) = default;

private:
    std::vector<std::string> names_, prefixes_;
};

// Patterns of the streams that both select. None: no stream, unlike the patterns of a selection.
std::vector<std::string> common(const StreamSelection& a, const StreamSelection& b);

}  // namespace sluice::text
