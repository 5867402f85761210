// Turns the nodes that a path leads to, or the texts of a variable, into values of attributes, as the attributes'
// functions say. Lives on the stack of one extraction.
#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <string_view>
#include <vector>

#include "gpu/event_batch.hpp"
#include "protocol/feed/path_trie.hpp"
#include "protocol/feed/text_arena.hpp"
#include "protocol/filter/attribute.hpp"

namespace sluice {

// The running result of a function that gives one value for all nodes: count(p), or string(p), of the first.
struct Fold {
    std::uint32_t attribute = 0;
    Attribute::Function function = Attribute::Function::string;
    bool found = false;
    double number = 0;
    std::string_view text;
};

// True of the functions that give one value however many nodes there are.
constexpr bool is_fold(Attribute::Function function) {
    using enum Attribute::Function;
    return function == string || function == normalize_space || function == string_length || function == count ||
           function == sum || function == string_of_lower_case;
}

class ValueSink {
public:
    ValueSink(std::vector<Fold> folds, std::vector<Value>& values, TextArena& arena)
        : folds_(std::move(folds)), values_(values), arena_(arena) {}

    void element(const PathReaders& readers, pugi::xml_node node);
    void text(const PathReaders& readers, std::string_view text);
    void finish();  // after the last node: the values of the folds

private:
    bool needs_text(const PathReader& reader) const;
    void read(const PathReader& reader, std::string_view text);
    void fold(Fold& fold, std::string_view text);
    void end(Fold& fold);
    void add(std::uint32_t attribute, std::string_view text);
    void add(std::uint32_t attribute, double number);

    std::vector<Fold> folds_;
    std::vector<Value>& values_;
    TextArena& arena_;
};

}  // namespace sluice
