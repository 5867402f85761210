// A segment's predicate tables and access rows in a device's memory: the same arrays that the CPU matches with
// (gpu/tables, gpu/cpu/segment/access_rows.hpp), so that both give the same answers. Built by one thread; then
// immutable, for kernels of any stream. AccessView, the kernel's argument, holds pointers into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/cpu/segment/segment.hpp"
#include "gpu/cuda/event_records.hpp"
#include "gpu/device/arena.hpp"

namespace sluice::cuda {

struct TextEntry {
    std::uint32_t attribute, size;
    std::uint64_t begin;  // in 8-byte words; the last one is padded with zeros
};
static_assert(sizeof(TextEntry) == 16);

struct TextTableView {
    const engine::HashIndex::Slot* slots;
    std::uint32_t last;  // number of slots - 1; valid if some attribute's plan uses this table
    const TextEntry* entries;
    const std::uint64_t* words;
};

struct NumberEntry {
    double number;
    std::uint32_t attribute, unused = 0;
};

struct NumberTableView {
    const engine::HashIndex::Slot* slots;
    std::uint32_t last;
    const NumberEntry* entries;
};

// How to process the values of an attribute of the segment.
struct AttributePlan {
    enum Flag : std::uint32_t { equal = 1, number_equal = 2, not_equal = 4, number_not_equal = 8 };

    std::uint32_t local = engine::none;  // the attribute's number in the segment; none if unknown to it
    std::uint32_t flags = 0;
    std::uint32_t equal_bytes_max = 0;
    std::uint32_t prefixes = 0, prefixes_end = 0;  // in AccessView::sizes
    std::uint32_t suffixes = 0, suffixes_end = 0;
    std::uint32_t keys = 0;                    // of `contains`: bit k: keys of 1 << k bytes are in use
    std::uint32_t bounds = 0, bounds_end = 0;  // in AccessView::bounds
};

// Substrings are found by their key, their first 8, 4, 2 or 1 bytes, looked up at each byte of a text. A slot's id is
// where a list of the patterns that share the key begins in `patterns`; the last one is flagged.
struct SubstringView {
    static constexpr std::uint32_t last_flag = 0x80000000u;
    const engine::HashIndex::Slot* slots;
    std::uint32_t last;
    const std::uint32_t* patterns;
};

struct AccessView {
    static constexpr std::uint32_t last_flag = 0x80000000u;   // in records: the last literal of a row
    static constexpr std::uint32_t group_flag = 0x40000000u;  // in records: the target is a group
    // The block that reads a bucket goes up to this far beyond its end, in 32 bits.
    static constexpr std::size_t record_words_max = 0xffffffffu - (std::size_t{1} << 16);

    const AttributePlan* plans;  // by name id
    std::uint32_t names;         // names with ids from here on are unknown
    const std::uint32_t* sizes;
    TextTableView equal, contains, starts_with, ends_with, not_equal;
    NumberTableView number_equal, number_not_equal;
    SubstringView substrings;
    const engine::RankedRange* ranges;
    const double* bounds;
    std::uint32_t bases[engine::bit_families];

    const cpu::AccessRows::FilterLine* filter;
    const std::uint32_t* offsets;
    std::uint32_t* records;
    const std::uint8_t* uses;             // or null
    const cpu::AccessRows::Grids* grids;  // or null
    std::uint32_t shift, filter_shift;
    std::uint32_t buckets;  // 0: no rows
    bool in_halves;         // tokens for triples are in two lists, by the half of their attribute
};

class AccessTables {
public:
    // Copies by the uploader's stream, and waits for it. Throws CudaError, or std::length_error.
    AccessTables(const cpu::Segment& segment, MemoryPool& memory, Uploader& uploader);

    const AccessView& view() const { return view_; }
    std::span<const AttributeNeeds> needs() const { return needs_; }  // by name id
    std::size_t bytes() const { return arena_.bytes(); }

private:
    void add_tables(const cpu::Segment& segment, ArenaLayout& layout);

    AccessView view_{};
    std::vector<AttributeNeeds> needs_;
    Arena arena_;
};

}  // namespace sluice::cuda
