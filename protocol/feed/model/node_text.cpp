#include "protocol/feed/model/node_text.hpp"

#include <string>

namespace sluice::feed {

namespace {

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Joins pieces of text; copies only if there are several.
class Joined {
public:
    explicit Joined(xpath::Meter* meter) : meter_(meter) {}

    void pass() {  // a node
        if (meter_ != nullptr) meter_->spend(1);
    }
    void add(std::string_view piece) {
        if (first_.empty()) {
            first_ = piece;
            return;
        }
        if (meter_ != nullptr) meter_->spend(piece.size() + (all_.empty() ? first_.size() : 0));
        if (all_.empty()) all_ = first_;
        all_ += piece;
    }
    std::string_view finish(TextArena& arena) { return all_.empty() ? first_ : arena.keep(std::move(all_)); }

private:
    xpath::Meter* const meter_;
    std::string_view first_;
    std::string all_;
};

bool is_normal(std::string_view text) {
    bool after_space = true;
    for (const char c : text) {
        if (is_space(c) && (after_space || c != ' ')) return false;
        after_space = is_space(c);
    }
    return text.empty() || !after_space;
}

}  // namespace

std::string_view string_value(TreeNode node, TextArena& arena, xpath::Meter* meter) {
    const TreeNode child = node.first_child();
    if (child.is_text() && !child.next_sibling()) return child.value();  // most elements are like this
    Joined joined(meter);
    for (TreeNode n = child; n; n = n.next_below(node)) {
        joined.pass();
        if (n.is_text()) joined.add(n.value());
    }
    return joined.finish(arena);
}

std::string_view joined_text(TreeNode first, TreeNode& behind, TextArena& arena, xpath::Meter* meter) {
    Joined joined(meter);
    for (behind = first; behind.is_text(); behind = behind.next_sibling()) joined.add(behind.value());
    return joined.finish(arena);
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

}  // namespace sluice::feed
