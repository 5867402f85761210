// Numbers the characters of a set of patterns, so that texts become rows of tables. ASCII characters keep their codes,
// so ASCII texts need no translation. Built once, then read by any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sluice::edits {

class Alphabet {
public:
    // The class of every non-ASCII character that is in none of the patterns.
    static constexpr std::uint32_t other = 128;

    void add(std::u32string_view pattern);

    std::uint32_t class_of(char32_t c) const {
        if (c < 128) return c;
        const auto found = others_.find(c);
        return found == others_.end() ? other : found->second;
    }
    // All classes are below size().
    std::uint32_t size() const { return other + 1 + static_cast<std::uint32_t>(others_.size()); }

    // Replaces `classes` by the class of each character of `utf8`.
    void classify(std::string_view utf8, std::vector<std::uint32_t>& classes) const;

private:
    std::unordered_map<char32_t, std::uint32_t> others_;
};

}  // namespace sluice::edits
