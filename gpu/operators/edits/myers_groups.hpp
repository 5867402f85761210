// Patterns in groups of the same length in words. A group has as many patterns as the processor matches side by side,
// or fewer if their different characters would make its table exceed the limit in table_size.hpp. Unit costs. Built
// once, then read by any thread; a Workspace belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "gpu/operators/edits/alphabet.hpp"
#include "gpu/operators/edits/class_map.hpp"
#include "gpu/operators/edits/match_table.hpp"
#include "gpu/operators/edits/myers_kernel.hpp"
#include "gpu/operators/edits/place_list.hpp"

namespace sluice::edits {

// A text in the form that the kernels read: its bytes if it is ASCII, else the classes of its characters.
class ClassifiedText {
public:
    // `utf8` must outlive this object's use of it.
    void assign(std::string_view utf8, const Alphabet& alphabet);

    std::string_view utf8() const { return utf8_; }
    bool ascii() const { return ascii_; }
    std::size_t size() const { return ascii_ ? utf8_.size() : classes_.size(); }
    const std::uint8_t* bytes() const { return ascii_ ? reinterpret_cast<const std::uint8_t*>(utf8_.data()) : nullptr; }
    const std::uint32_t* classes() const { return classes_.data(); }

private:
    std::string_view utf8_;
    bool ascii_ = true;
    std::vector<std::uint32_t> classes_;
};

class MyersGroups {
public:
    // The group and lane in which a pattern is matched.
    struct Place {
        std::uint32_t group = 0, lane = 0;
    };
    struct Workspace {
        std::vector<std::uint64_t> state;
        std::vector<std::int64_t> numbers;
        std::vector<std::int64_t> least;     // [lane], of the last run
        std::vector<std::uint32_t> classes;  // of a text, in a group's numbering
        std::uint64_t cells = 0;             // total over all runs
    };

    MyersGroups(Extent extent, InstructionSet set) : extent_(extent), set_(set) {}

    // Makes groups of `patterns`, none of which may be empty. group_patterns() returns ids[i] for patterns[i].
    void add(std::span<const std::span<const std::uint32_t>> patterns, std::span<const std::uint32_t> ids,
             std::uint32_t classes);

    std::size_t groups() const { return groups_.size(); }
    std::size_t bytes() const;                                               // of their tables
    std::span<const std::uint32_t> group_patterns(std::size_t group) const;  // [lane]: id

    // Writes the distances of all lanes of a group to workspace.least. With k ([lane]), least only shows whether the
    // distance is within k: it is at most k if so, and above k if not.
    void run(std::size_t group, const ClassifiedText& text, const std::uint32_t* k, Workspace& workspace) const;
    // The same for one lane, and for the text's characters begin … end - 1. Returns the lane's `least`.
    std::int64_t run_lane(Place place, const ClassifiedText& text, std::size_t begin, std::size_t end,
                          const std::uint32_t* k, Workspace& workspace) const;

private:
    // A pattern to be added to a group.
    struct Member {
        std::span<const std::uint32_t> classes;
        std::vector<std::uint32_t> distinct;
        std::uint32_t id = 0;

        PatternSize size() const { return {classes.size(), distinct.size()}; }
    };
    using Members = std::span<const Member>;

    template <class Word>
    struct Group {
        MatchTable<Word> table;           // with `places`: has no rows
        std::optional<PlaceList> places;  // of the group's only pattern
        std::optional<ClassMap> own;      // the group's numbering of classes, if it differs from the alphabet's
        MyersKernel<Word> kernel;
        std::vector<std::uint32_t> patterns;
        std::vector<std::uint32_t> lengths;  // [lane]
    };
    using AnyGroup = std::variant<Group<std::uint32_t>, Group<std::uint64_t>>;

    template <class Word>
    void add_of_words(Members members, std::uint32_t classes);
    template <class Word>
    void add_group(Members members, const MyersKernel<Word>& kernel, std::uint32_t classes);
    void add_listed(const Member& member);
    template <class Word>
    static const std::uint32_t* classes_of(const Group<Word>& group, const ClassifiedText& text, std::size_t begin,
                                           std::size_t end, Workspace& workspace);
    template <class Word>
    void run_lanes(const Group<Word>& group, const MyersKernel<Word>& kernel, std::size_t first_lane,
                   const ClassifiedText& text, std::size_t begin, std::size_t end, const std::uint32_t* k,
                   Workspace& workspace) const;

    Extent extent_;
    InstructionSet set_;
    std::vector<AnyGroup> groups_;
};

}  // namespace sluice::edits
