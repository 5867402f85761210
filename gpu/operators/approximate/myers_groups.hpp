// Patterns in groups of one length in words, each group as many as the processor matches side by side. Unit costs.
// Built once, then read by any thread; a Workspace belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "gpu/operators/approximate/alphabet.hpp"
#include "gpu/operators/approximate/match_table.hpp"
#include "gpu/operators/approximate/myers_kernel.hpp"

namespace sluice::approximate {

// A text as the kernels read it: its bytes if it is ASCII, else the classes of its characters.
class ClassifiedText {
public:
    // `utf8` must outlive its use here.
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
    // Where a pattern is matched.
    struct Place {
        std::uint32_t group = 0, lane = 0;
    };
    struct Workspace {
        std::vector<std::uint64_t> state;
        std::vector<std::int64_t> numbers;
        std::vector<std::int64_t> least;  // [lane] of the last run
        std::uint64_t cells = 0;          // summed up
    };

    MyersGroups(Extent extent, InstructionSet set) : extent_(extent), set_(set) {}

    // Makes groups of `patterns`, none of which is empty. ids[i] is what group_patterns calls patterns[i].
    void add(std::span<const std::span<const std::uint32_t>> patterns, std::span<const std::uint32_t> ids,
             std::uint32_t classes);

    std::size_t groups() const { return groups_.size(); }
    std::span<const std::uint32_t> group_patterns(std::size_t group) const;  // [lane]: id

    // Distances of all lanes of a group into workspace.least. With k ([lane]), only whether they are within it: then
    // least is at most k if so, and above it if not.
    void run(std::size_t group, const ClassifiedText& text, const std::uint32_t* k, Workspace& workspace) const;
    // The same of one lane, and of the text's characters begin … end - 1.
    std::int64_t run_lane(Place place, const ClassifiedText& text, std::size_t begin, std::size_t end,
                          const std::uint32_t* k, Workspace& workspace) const;

private:
    template <class Word>
    struct Group {
        MatchTable<Word> table;
        MyersKernel<Word> kernel;
        std::vector<std::uint32_t> patterns;
        std::vector<std::uint32_t> lengths;  // [lane]
    };
    using AnyGroup = std::variant<Group<std::uint32_t>, Group<std::uint64_t>>;

    template <class Word>
    void add_of_words(std::span<const std::span<const std::uint32_t>> patterns, std::span<const std::uint32_t> ids,
                      std::uint32_t words, std::uint32_t classes);
    template <class Word>
    void run_lanes(const Group<Word>& group, const MyersKernel<Word>& kernel, std::size_t first_lane,
                   const ClassifiedText& text, std::size_t begin, std::size_t end, const std::uint32_t* k,
                   Workspace& workspace) const;

    Extent extent_;
    InstructionSet set_;
    std::vector<AnyGroup> groups_;
};

}  // namespace sluice::approximate
