// Numbers the characters that a set of patterns contains, so that texts become rows of tables. An ASCII character is
// its own number, so that ASCII texts need no translation. Built once, then read by any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sluice::approximate {

class Alphabet {
public:
    // The class of every character that is not ASCII and in none of the patterns.
    static constexpr std::uint32_t other = 128;

    void add(std::u32string_view pattern);

    std::uint32_t class_of(char32_t c) const {
        if (c < 128) return c;
        const auto found = others_.find(c);
        return found == others_.end() ? other : found->second;
    }
    // Classes are below size().
    std::uint32_t size() const { return other + 1 + static_cast<std::uint32_t>(others_.size()); }

    // The class of each character of `utf8`, in place of what `classes` held.
    void classify(std::string_view utf8, std::vector<std::uint32_t>& classes) const;

private:
    std::unordered_map<char32_t, std::uint32_t> others_;
};

}  // namespace sluice::approximate
