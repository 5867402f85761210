#include "gpu/operators/edits/alphabet.hpp"

#include "gpu/operators/edits/characters.hpp"

namespace sluice::edits {

void Alphabet::add(std::u32string_view pattern) {
    for (const char32_t c : pattern) {
        if (c >= 128) others_.try_emplace(c, size());
    }
}

void Alphabet::classify(std::string_view utf8, std::vector<std::uint32_t>& classes) const {
    classes.clear();
    classes.reserve(utf8.size());
    while (!utf8.empty()) {
        const Character next = first_character(utf8);
        classes.push_back(class_of(next.code));
        utf8.remove_prefix(next.bytes);
    }
}

}  // namespace sluice::edits
