// Finds which of many patterns occur in a text, in one pass over the text (Aho and Corasick, 1975). Nodes are numbered
// breadth first, so that the children of a node stand side by side. Patterns longer than depth_max enter with their
// first depth_max bytes and are then compared, which bounds the automaton's size and the length of its suffix chains.
// Built once; any thread may scan.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gpu/tables/text_table.hpp"

namespace sluice {

class SubstringAutomaton {
public:
    static constexpr std::size_t depth_max = 64;

    // `patterns`: indices of texts of the table, none of them empty, all different.
    SubstringAutomaton(const TextTable& table, std::vector<std::uint32_t> patterns);

    // Calls found(pattern) for every occurrence.
    template <class Found>
    void scan(const TextTable& table, std::string_view text, Found found) const {
        std::uint32_t node = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            node = step(node, static_cast<unsigned char>(text[i]));
            for (std::uint32_t r = report_[node]; r != 0; r = report_[fail_[r]]) {
                for (std::uint32_t p = pattern_[r];; ++p) {
                    const std::uint32_t pattern = patterns_[p] & ~last_flag;
                    if (depth_max_reached_ && !occurs(table.text(pattern), text, i)) {
                        // its first bytes do, the rest does not
                    } else {
                        found(pattern);
                    }
                    if ((patterns_[p] & last_flag) != 0) break;
                }
            }
        }
    }

    std::size_t bytes() const;

private:
    static constexpr std::uint32_t last_flag = 0x80000000u;

    // Whether the pattern, whose first min(size, depth_max) bytes end at text[end], stands there in full.
    static bool occurs(std::string_view pattern, std::string_view text, std::size_t end) {
        if (pattern.size() <= depth_max) return true;
        return text.substr(end + 1 - depth_max, pattern.size()) == pattern;
    }
    std::uint32_t child(std::uint32_t node, unsigned char c) const;  // 0: it has none
    std::uint32_t step(std::uint32_t node, unsigned char c) const {
        while (node != 0) {
            if (const std::uint32_t next = child(node, c); next != 0) return next;
            node = fail_[node];
        }
        return root_[c];
    }
    void build_trie(const TextTable& table);
    void link_suffixes();

    bool depth_max_reached_ = false;
    std::vector<std::uint32_t> patterns_;  // sorted by text; last_flag ends each group that shares a node
    std::array<std::uint32_t, 256> root_{};
    std::vector<std::uint32_t> first_child_;  // node n's children: first_child_[n] … first_child_[n + 1]
    std::vector<unsigned char> label_;
    std::vector<std::uint32_t> fail_;
    std::vector<std::uint32_t> report_;   // the nearest node of the suffix chain, itself included, that ends a pattern
    std::vector<std::uint32_t> pattern_;  // of a node that ends patterns: index of the first in patterns_
};

}  // namespace sluice
