// A segment's predicate tables and access rows in a device's memory: the same arrays that the CPU matches with
// (gpu/tables, gpu/cpu/access_rows.hpp), so that both give the same answers. Built by one thread; then immutable, for
// kernels of any stream. LookUpView holds pointers into it, and is what the kernel gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/cpu/segment.hpp"
#include "gpu/cuda/arena.hpp"
#include "gpu/cuda/event_records.hpp"

namespace sluice::cuda {

struct TextEntry {
    std::uint32_t attribute, size;
    std::uint32_t begin;  // in 8-byte words; the last one is padded with zeros
    std::uint32_t unused = 0;
};

struct TextTableView {
    const HashIndex::Slot* slots;
    std::uint32_t last;  // slots - 1; only where some attribute's plan asks for this table
    const TextEntry* entries;
    const std::uint64_t* words;
};

struct NumberEntry {
    double number;
    std::uint32_t attribute, unused = 0;
};

struct NumberTableView {
    const HashIndex::Slot* slots;
    std::uint32_t last;
    const NumberEntry* entries;
};

// What to do with the values of an attribute of the segment.
struct AttributePlan {
    enum Flag : std::uint32_t { equal = 1, number_equal = 2, not_equal = 4, number_not_equal = 8 };

    std::uint32_t local = none;  // the attribute's number in the segment; none: it does not know it
    std::uint32_t flags = 0;
    std::uint32_t equal_bytes_max = 0;
    std::uint32_t prefixes = 0, prefixes_end = 0;  // in LookUpView::sizes
    std::uint32_t suffixes = 0, suffixes_end = 0;
    std::uint32_t keys = 0;                    // of `contains`: bit k says that keys of 1 << k bytes are in use
    std::uint32_t bounds = 0, bounds_end = 0;  // in LookUpView::bounds
};

// Substrings are found by their key, their first 8, 4, 2 or 1 bytes, looked for at each byte of a text: slot ids begin
// a list in `patterns` of those that share the key, the last one flagged.
struct SubstringView {
    static constexpr std::uint32_t last_flag = 0x80000000u;
    const HashIndex::Slot* slots;
    std::uint32_t last;
    const std::uint32_t* patterns;
};

struct LookUpView {
    static constexpr std::uint32_t last_flag = 0x80000000u;   // in records: the last literal of a row
    static constexpr std::uint32_t group_flag = 0x40000000u;  // in records: the target is a group

    const AttributePlan* plans;  // by name id
    std::uint32_t names;         // later ones are not known
    const std::uint32_t* sizes;
    TextTableView equal, contains, starts_with, ends_with, not_equal;
    NumberTableView number_equal, number_not_equal;
    SubstringView substrings;
    const RankedRange* ranges;
    const double* bounds;
    std::uint32_t bases[bit_families];

    const AccessRows::FilterLine* filter;
    const std::uint32_t* offsets;
    std::uint32_t* records;
    const std::uint8_t* uses;        // or null
    const AccessRows::Grids* grids;  // or null
    std::uint32_t shift, filter_shift;
    std::uint32_t buckets;  // 0: there are no rows
    bool in_halves;         // tokens of threes stand in two lists, by their attributes' halves
};

class LookUpTables {
public:
    // Copies by this stream, and waits for it. Throws CudaError.
    LookUpTables(const Segment& segment, MemoryPool& memory, Uploader& uploader);

    const LookUpView& view() const { return view_; }
    std::span<const AttributeNeeds> needs() const { return needs_; }  // by name id
    std::size_t bytes() const { return arena_.bytes(); }

private:
    void add_tables(const Segment& segment, ArenaLayout& layout);

    LookUpView view_{};
    std::vector<AttributeNeeds> needs_;
    Arena arena_;
};

}  // namespace sluice::cuda
