// The paths of many attributes as a tree of steps; paths with a common beginning share their first steps. Stored in a
// few flat arrays, so that copying it to add paths is fast. Not changed once in use; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/feed/model/name_slot.hpp"
#include "protocol/filter/syntax/attribute.hpp"

namespace sluice::feed {

// Turns the nodes that a path leads to into values of `attribute`.
struct PathReader {
    std::uint32_t attribute = 0;
    filter::Attribute::Function function = filter::Attribute::Function::each;
};

class PathTrie {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::uint32_t root = 0;

    // A place that paths reach: an element, an attribute, or the texts of an element.
    struct Step {
        std::uint32_t readers = none;  // the last one added
        std::uint32_t any_child = none, any_attribute = none, text = none;
        std::uint64_t child_names = 0, attribute_names = 0;  // the bits of the names of the steps from here

        bool reads_attributes() const { return attribute_names != 0 || any_attribute != none; }
        bool goes_on() const { return child_names != 0 || any_child != none || text != none; }
    };

    // The readers of a step, in no particular order.
    class Readers {
        struct Entry {
            PathReader reader;
            std::uint32_t next = none;
        };
        friend class PathTrie;

    public:
        class Iterator {
        public:
            using difference_type = std::ptrdiff_t;
            using value_type = PathReader;

            Iterator() = default;
            Iterator(const Entry* entries, std::uint32_t at) : entries_(entries), at_(at) {}
            const PathReader& operator*() const { return entries_[at_].reader; }
            Iterator& operator++() {
                at_ = entries_[at_].next;
                return *this;
            }
            Iterator operator++(int) {
                const Iterator before = *this;
                ++*this;
                return before;
            }
            friend bool operator==(const Iterator&, const Iterator&) = default;

        private:
            const Entry* entries_ = nullptr;
            std::uint32_t at_ = none;
        };

        Readers(const Entry* entries, std::uint32_t first) : entries_(entries), first_(first) {}
        Iterator begin() const { return {entries_, first_}; }
        Iterator end() const { return {entries_, none}; }

    private:
        const Entry* entries_;
        std::uint32_t first_;
    };

    PathTrie() : steps_(1) {}
    bool empty() const { return readers_.empty(); }
    void add(const filter::AttributePath& path, const PathReader& reader);
    // Calls visit(path, reader) for everything added; path() returns the path without its parents. Slow.
    template <class Visit>
    void for_each(const Visit& visit) const {
        const Origins all = origins();
        for (std::uint32_t at = root; at < steps_.size(); ++at) {
            if (steps_[at].readers == none) continue;
            const auto path = [&, at] { return path_to(at, all); };
            for (const PathReader& reader : readers(at)) visit(path, reader);
        }
    }

    const Step& operator[](std::uint32_t step) const { return steps_[step]; }
    Readers readers(std::uint32_t step) const { return {readers_.data(), steps_[step].readers}; }
    // The step that a name leads to, or none.
    std::uint32_t child(std::uint32_t step, std::string_view name) const {
        return (steps_[step].child_names & name_bit(name)) != 0 ? find(step, Kind::child, name) : none;
    }
    std::uint32_t attribute(std::uint32_t step, std::string_view name) const {
        return (steps_[step].attribute_names & name_bit(name)) != 0 ? find(step, Kind::attribute, name) : none;
    }

private:
    enum class Kind : std::uint8_t { child, attribute };
    // From `step` to `to`, by the name of an element or of an attribute.
    struct Edge {
        std::uint32_t step = 0, to = 0;
        std::uint32_t hash = 0;  // of step, kind and name
        std::uint32_t name = 0, name_bytes = 0;
        Kind kind = Kind::child;
    };

    // Of each step: the one before it, and the edge from there; none if it has no name.
    struct Origin {
        std::uint32_t step = none, edge = none;
    };
    using Origins = std::vector<Origin>;
    Origins origins() const;
    filter::AttributePath path_to(std::uint32_t step, const Origins& origins) const;

    static std::uint32_t hash(std::uint32_t step, Kind kind, std::string_view name);
    std::uint32_t find(std::uint32_t step, Kind kind, std::string_view name) const;
    std::uint32_t new_step();
    std::uint32_t any(std::uint32_t step, std::uint32_t Step::*member);
    std::uint32_t named(std::uint32_t step, Kind kind, std::string_view name);
    void index(std::uint32_t edge);

    std::vector<Step> steps_;
    std::vector<Readers::Entry> readers_;
    std::vector<Edge> edges_;
    std::vector<std::uint32_t> slots_;  // an open-addressing hash table: indices of edges, or none
    std::string names_;
};

}  // namespace sluice::feed
