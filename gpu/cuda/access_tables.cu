#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "gpu/cuda/access_tables.hpp"
#include "gpu/cuda/substring_key.hpp"

namespace sluice::cuda {

namespace {

constexpr engine::Family text_families[] = {engine::Family::equal, engine::Family::contains,
                                            engine::Family::starts_with, engine::Family::ends_with,
                                            engine::Family::not_equal};

std::uint32_t last_slot(std::span<const engine::HashIndex::Slot> slots) {
    return slots.empty() ? 0 : static_cast<std::uint32_t>(slots.size() - 1);
}

void add_index(const engine::HashIndex& index, ArenaLayout& layout, const engine::HashIndex::Slot*& slots,
               std::uint32_t& last) {
    layout.add(index.slots(), &slots);
    last = last_slot(index.slots());
}

void add_texts(const engine::TextTable& table, ArenaLayout& layout, TextTableView& view) {
    std::vector<TextEntry> entries(table.size());
    std::vector<std::uint64_t> words;
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        const std::string_view text = table.text(i);
        const std::size_t begin = words.size();
        entries[i] = {table.attribute(i), static_cast<std::uint32_t>(text.size()), begin};
        words.resize(begin + (text.size() + 7) / 8);
        if (!text.empty()) std::memcpy(&words[begin], text.data(), text.size());
    }
    words.push_back(0);
    add_index(table.index(), layout, view.slots, view.last);
    layout.add(std::move(entries), &view.entries);
    layout.add(std::move(words), &view.words);
}

void add_numbers(const engine::NumberTable& table, ArenaLayout& layout, NumberTableView& view) {
    std::vector<NumberEntry> entries(table.size());
    for (std::uint32_t i = 0; i < table.size(); ++i) entries[i] = {table.number(i), table.attribute(i)};
    add_index(table.index(), layout, view.slots, view.last);
    layout.add(std::move(entries), &view.entries);
}

void add_substrings(const engine::TextTable& table, ArenaLayout& layout, SubstringView& view,
                    std::vector<AttributePlan>& plans) {
    std::map<std::tuple<std::uint32_t, unsigned, std::uint64_t>, std::vector<std::uint32_t>> by_key;
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        const std::string_view text = table.text(i);
        const unsigned log = key_log(text.size());
        std::uint64_t key = 0;
        std::memcpy(&key, text.data(), std::size_t{1} << log);
        by_key[{table.attribute(i), log, key}].push_back(i);
        plans[table.attribute(i)].keys |= 1u << log;
    }
    engine::HashIndex index;
    std::vector<std::uint32_t> patterns;
    std::vector<std::uint64_t> hashes(table.size());
    for (const auto& [key, list] : by_key) {
        const auto first = static_cast<std::uint32_t>(patterns.size());
        patterns.insert(patterns.end(), list.begin(), list.end());
        patterns.back() |= SubstringView::last_flag;
        hashes[first] = key_hash(std::get<0>(key), std::get<1>(key), std::get<2>(key));
        index.make_room([&](std::uint32_t i) { return hashes[i]; });
        index.insert(hashes[first], first);
    }
    const std::vector<engine::HashIndex::Slot> slots(index.slots().begin(), index.slots().end());
    view.last = last_slot(slots);
    layout.add(std::vector(slots), &view.slots);
    layout.add(std::move(patterns), &view.patterns);
}

// The distinct sizes of a table's texts, by attribute.
std::vector<std::set<std::uint32_t>> sizes_of(const engine::TextTable& table, std::size_t attributes) {
    std::vector<std::set<std::uint32_t>> sizes(attributes);
    for (std::uint32_t i = 0; i < table.size(); ++i)
        sizes[table.attribute(i)].insert(static_cast<std::uint32_t>(table.text(i).size()));
    return sizes;
}

std::vector<AttributePlan> make_plans(const engine::PredicateTables& tables, std::vector<std::uint32_t>& sizes,
                                      std::vector<double>& bounds) {
    std::vector<AttributePlan> plans(tables.attributes());
    const auto note = [&](const auto& table, std::uint32_t flag) {
        for (std::uint32_t i = 0; i < table.size(); ++i) plans[table.attribute(i)].flags |= flag;
    };
    note(tables.texts(engine::Family::equal), AttributePlan::equal);
    note(tables.texts(engine::Family::not_equal), AttributePlan::not_equal);
    note(tables.numbers(engine::Family::number_equal), AttributePlan::number_equal);
    note(tables.numbers(engine::Family::number_not_equal), AttributePlan::number_not_equal);
    const auto prefixes = sizes_of(tables.texts(engine::Family::starts_with), plans.size());
    const auto suffixes = sizes_of(tables.texts(engine::Family::ends_with), plans.size());
    const auto append = [&](const std::set<std::uint32_t>& of, std::uint32_t& begin, std::uint32_t& end) {
        begin = static_cast<std::uint32_t>(sizes.size());
        sizes.insert(sizes.end(), of.begin(), of.end());
        end = static_cast<std::uint32_t>(sizes.size());
    };
    for (std::uint32_t a = 0; a < plans.size(); ++a) {
        append(prefixes[a], plans[a].prefixes, plans[a].prefixes_end);
        append(suffixes[a], plans[a].suffixes, plans[a].suffixes_end);
        const auto values = tables.ranges().bound_values(a);
        plans[a].bounds = static_cast<std::uint32_t>(bounds.size());
        bounds.insert(bounds.end(), values.begin(), values.end());
        plans[a].bounds_end = static_cast<std::uint32_t>(bounds.size());
    }
    const engine::TextTable& equal = tables.texts(engine::Family::equal);
    for (std::uint32_t i = 0; i < equal.size(); ++i) {
        std::uint32_t& max = plans[equal.attribute(i)].equal_bytes_max;
        max = std::max(max, static_cast<std::uint32_t>(equal.text(i).size()));
    }
    return plans;
}

std::vector<AttributePlan> by_name(const engine::PredicateTables& tables, const std::vector<AttributePlan>& plans) {
    std::vector<AttributePlan> result(tables.locals().size());
    for (std::size_t name = 0; name < result.size(); ++name) {
        const std::uint32_t local = tables.locals()[name];
        if (local == engine::none) continue;
        result[name] = plans[local];
        result[name].local = local;
    }
    return result;
}

std::vector<AttributeNeeds> make_needs(const engine::PredicateTables& tables, const std::vector<AttributePlan>& plans) {
    std::vector<AttributeNeeds> local(plans.size());
    for (const engine::Family family : text_families) {
        const engine::TextTable& table = tables.texts(family);
        for (std::uint32_t i = 0; i < table.size(); ++i) {
            AttributeNeeds& n = local[table.attribute(i)];
            n.text = true;
            const bool whole = family == engine::Family::equal || family == engine::Family::not_equal;
            n.text_bytes_max = std::max(n.text_bytes_max,
                                        whole ? static_cast<std::uint32_t>(table.text(i).size()) : AttributeNeeds::all);
        }
    }
    for (std::size_t a = 0; a < plans.size(); ++a) {
        local[a].known = true;
        local[a].number = (plans[a].flags & (AttributePlan::number_equal | AttributePlan::number_not_equal)) != 0;
        local[a].range = plans[a].bounds != plans[a].bounds_end;
    }
    std::vector<AttributeNeeds> needs(tables.locals().size());
    for (std::size_t name = 0; name < needs.size(); ++name) {
        if (tables.locals()[name] != engine::none) needs[name] = local[tables.locals()[name]];
    }
    return needs;
}

// One thread per bucket: moves the group flag of each target away from the flag of a row's last literal, so that the
// start of a row can be recognised from any place.
__global__ void mark_groups(AccessView view) {
    const std::uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= view.buckets) return;
    for (std::uint32_t at = view.offsets[b]; at != view.offsets[b + 1];) {
        const std::uint32_t target = view.records[at];
        if ((target & AccessView::last_flag) != 0)
            view.records[at] = (target & ~AccessView::last_flag) | AccessView::group_flag;
        do ++at;
        while ((view.records[at] & AccessView::last_flag) == 0);
        ++at;
    }
}

}  // namespace

void AccessTables::add_tables(const cpu::Segment& segment, ArenaLayout& layout) {
    const engine::PredicateTables& tables = segment.tables();
    std::vector<std::uint32_t> sizes;
    std::vector<double> bounds;
    std::vector<AttributePlan> plans = make_plans(tables, sizes, bounds);
    needs_ = make_needs(tables, plans);
    TextTableView* const texts[] = {&view_.equal, &view_.contains, &view_.starts_with, &view_.ends_with,
                                    &view_.not_equal};
    for (std::size_t i = 0; i < std::size(texts); ++i) add_texts(tables.texts(text_families[i]), layout, *texts[i]);
    add_substrings(tables.texts(engine::Family::contains), layout, view_.substrings, plans);
    add_numbers(tables.numbers(engine::Family::number_equal), layout, view_.number_equal);
    add_numbers(tables.numbers(engine::Family::number_not_equal), layout, view_.number_not_equal);
    layout.add(by_name(tables, plans), &view_.plans);
    view_.names = static_cast<std::uint32_t>(tables.locals().size());
    layout.add(std::move(sizes), &view_.sizes);
    layout.add(tables.ranges().ranked(), &view_.ranges);
    layout.add(std::move(bounds), &view_.bounds);
    for (std::size_t f = 0; f < engine::bit_families; ++f)
        view_.bases[f] = tables.bit(engine::LiteralCode(static_cast<engine::Family>(f), 0));
}

AccessTables::AccessTables(const cpu::Segment& segment, MemoryPool& memory, Uploader& uploader) {
    ArenaLayout layout;
    add_tables(segment, layout);
    const cpu::AccessRows::Arrays rows = segment.access_rows().arrays();
    if (rows.records.size() > AccessView::record_words_max) throw std::length_error("more rows than a device takes");
    const std::uint32_t* records = nullptr;
    layout.add(rows.filter, &view_.filter);
    layout.add(rows.offsets, &view_.offsets);
    layout.add(rows.records, &records);
    layout.add(rows.uses, &view_.uses);
    layout.add(rows.grids, &view_.grids);
    arena_ = Arena(layout, memory, uploader);
    view_.records = const_cast<std::uint32_t*>(records);
    view_.shift = rows.shift;
    view_.filter_shift = rows.filter_shift;
    view_.in_halves = rows.in_halves;
    view_.buckets = rows.records.empty() ? 0 : static_cast<std::uint32_t>(rows.offsets.size() - 1);
    if (rows.uses.empty()) view_.uses = nullptr;
    if (rows.grids.empty()) view_.grids = nullptr;
    const Uploader::Drain drain(uploader);
    if (view_.buckets > 0) {
        mark_groups<<<(view_.buckets + 255) / 256, 256, 0, uploader.stream()>>>(view_);
        check_launch("mark_groups");
    }
    uploader.wait();
}

}  // namespace sluice::cuda
