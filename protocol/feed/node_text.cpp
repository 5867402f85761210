#include "protocol/feed/node_text.hpp"

#include <string>

namespace sluice {

namespace {

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The node after `node` in document order, below `top`.
pugi::xml_node next_below(pugi::xml_node node, pugi::xml_node top) {
    if (const pugi::xml_node child = node.first_child()) return child;
    for (; node != top; node = node.parent()) {
        if (const pugi::xml_node sibling = node.next_sibling()) return sibling;
    }
    return {};
}

bool is_normal(std::string_view text) {
    bool after_space = true;
    for (const char c : text) {
        if (is_space(c) && (after_space || c != ' ')) return false;
        after_space = is_space(c);
    }
    return text.empty() || !after_space;
}

}  // namespace

std::string_view string_value(pugi::xml_node node, TextArena& arena) {
    const pugi::xml_node child = node.first_child();
    if (is_text(child) && !child.next_sibling()) return child.value();  // most elements are like this
    std::string_view first;
    std::string all;
    for (pugi::xml_node n = next_below(node, node); n; n = next_below(n, node)) {
        if (!is_text(n)) continue;
        const std::string_view piece = n.value();
        if (first.empty()) {
            first = piece;
            continue;
        }
        if (all.empty()) all = first;
        all += piece;
    }
    return all.empty() ? first : arena.keep(std::move(all));
}

std::string_view normalize_space(std::string_view text, TextArena& arena) {
    if (is_normal(text)) return text;
    std::string normal;
    normal.reserve(text.size());
    for (const char c : text) {
        if (!is_space(c)) {
            normal += c;
        } else if (!normal.empty() && normal.back() != ' ') {
            normal += ' ';
        }
    }
    if (!normal.empty() && normal.back() == ' ') normal.pop_back();
    return arena.keep(std::move(normal));
}

}  // namespace sluice
