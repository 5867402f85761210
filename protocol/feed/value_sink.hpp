// Turns the nodes that a path leads to, or the texts of a variable, into values of attributes, applying the attributes'
// functions. Spends a meter's steps (reading_budget.hpp). Lives on the stack of one extraction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <pugixml.hpp>
#include <string_view>
#include <vector>

#include "gpu/api/event_batch.hpp"
#include "protocol/feed/node_text.hpp"
#include "protocol/feed/path_trie.hpp"
#include "protocol/feed/text_arena.hpp"
#include "protocol/filter/attribute.hpp"

namespace sluice::feed {

// The running result of a function that gives one value for all nodes, such as count(p), or string(p) of the first
// node.
struct Fold {
    std::uint32_t attribute = 0;
    filter::Attribute::Function function = filter::Attribute::Function::string;
    bool found = false;
    double number = 0;
    std::string_view text;
};

// True of functions that give one value for any number of nodes.
constexpr bool is_fold(filter::Attribute::Function function) {
    using enum filter::Attribute::Function;
    return function == string || function == normalize_space || function == string_length || function == count ||
           function == sum || function == string_of_lower_case;
}

class ValueSink {
public:
    ValueSink(std::vector<Fold> folds, std::vector<engine::Value>& values, TextArena& arena, xpath::Meter& meter)
        : folds_(std::move(folds)), values_(values), arena_(arena), meter_(meter) {}

    void pass() { meter_.spend(1); }  // a node

    // Reads no text that no reader needs: a count needs none, and functions of the first node need no further texts.
    template <class Readers>
    void element(const Readers& readers, pugi::xml_node node) {
        const bool any = std::ranges::any_of(readers, [this](const PathReader& reader) { return needs_text(reader); });
        text(readers, any ? string_value(node, arena_, &meter_) : std::string_view{});
    }
    template <class Readers>
    void text(const Readers& readers, std::string_view text) {
        for (const PathReader& reader : readers) read(reader, text);
    }
    void finish();  // after the last node: the values of the folds

private:
    bool needs_text(const PathReader& reader) const;
    void read(const PathReader& reader, std::string_view text);
    void fold(Fold& fold, std::string_view text);
    void end(Fold& fold);
    void add(std::uint32_t attribute, std::string_view text);
    void add(std::uint32_t attribute, double number);

    std::vector<Fold> folds_;
    std::vector<engine::Value>& values_;
    TextArena& arena_;
    xpath::Meter& meter_;
};

}  // namespace sluice::feed
