// Turns the nodes that a path leads to, or the texts of a variable, into values of attributes, applying the attributes'
// functions. Spends a meter's steps (reading_budget.hpp). Lives on the stack of one extraction.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gpu/api/event_batch.hpp"
#include "protocol/feed/model/node_text.hpp"
#include "protocol/feed/model/text_arena.hpp"
#include "protocol/feed/model/tree.hpp"
#include "protocol/feed/values/path_trie.hpp"
#include "protocol/filter/syntax/attribute.hpp"

namespace sluice::feed {

// The running results of functions that give one value for any number of nodes, such as count(p), or string(p) of the
// first node. A function without nodes has none, so that it costs nothing.
class Folds {
public:
    struct Fold {
        std::uint32_t attribute;
        filter::Attribute::Function function;
        double number;
        std::string_view text;
    };

    bool has(std::uint32_t attribute) const { return find(attribute) != none; }
    // The attribute's result, made if there was none. Valid until the next call.
    Fold& of(const PathReader& reader);
    std::uint32_t size() const { return size_; }
    const Fold& operator[](std::uint32_t i) const { return i < few ? first_[i] : more_[i - few]; }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::uint32_t few = 8;  // are found without the index, and allocate nothing

    std::uint32_t find(std::uint32_t attribute) const;
    std::size_t slot(std::uint32_t attribute) const;
    void index();

    std::array<Fold, few> first_;
    std::vector<Fold> more_;
    std::uint32_t size_ = 0;
    std::vector<std::uint32_t> slots_;  // an open-addressing hash table: indices of folds, or none
};

class ValueSink {
public:
    ValueSink(std::vector<engine::Value>& values, TextArena& arena, xpath::Meter& meter)
        : values_(values), arena_(arena), meter_(meter) {}

    void pass() { meter_.spend(1); }  // a node

    // Reads no text that no reader needs: a count needs none, and functions of the first node need no further texts.
    template <class Readers>
    void element(const Readers& readers, TreeNode node) {
        const bool any = std::ranges::any_of(readers, [this](const PathReader& reader) { return needs_text(reader); });
        text(readers, any ? string_value(node, arena_, &meter_) : std::string_view{});
    }
    template <class Readers>
    void text(const Readers& readers, std::string_view text) {
        for (const PathReader& reader : readers) read(reader, text);
    }
    void finish();  // after the last node: the values of functions of all nodes

private:
    bool needs_text(const PathReader& reader) const;
    void read(const PathReader& reader, std::string_view text);
    void fold(const PathReader& reader, std::string_view text);
    void end(const Folds::Fold& fold);
    void add(std::uint32_t attribute, std::string_view text);
    void add(std::uint32_t attribute, double number);

    Folds folds_;
    std::vector<engine::Value>& values_;
    TextArena& arena_;
    xpath::Meter& meter_;
};

}  // namespace sluice::feed
