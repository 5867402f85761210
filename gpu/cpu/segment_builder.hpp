// Collects subscriptions, new ones and those of other segments, and makes a segment of them. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/cpu/form_table.hpp"
#include "gpu/cpu/segment.hpp"
#include "gpu/tables/name_table.hpp"

namespace sluice {

class SegmentBuilder {
public:
    // Returns the number by which it can be dropped.
    std::uint32_t add(SubscriptionId id, const Disjunction& filter, NameTable& attributes, NameTable& scanned);
    void drop(std::uint32_t number);
    // Gives a name's id in the dictionaries that the segment is built for.
    using Rename = std::function<std::uint32_t(Family family, std::uint32_t name)>;
    // Takes over the other segment's entries that are not removed (null: none is).
    void absorb(const Segment& other, const Bitmap* removed, const Rename& rename = {});

    std::size_t size() const { return entries_.size() - dropped_; }
    // `events`: what to choose access literals by, beside the subscriptions themselves. `devices`, or null: for the
    // operators to use.
    std::shared_ptr<const Segment> build(std::span<const SampledEvent> events = {},
                                         const std::shared_ptr<OperatorDevices>& devices = nullptr) &&;

private:
    static constexpr std::uint32_t dropped_form = none;

    struct Entry {
        SubscriptionId id;
        std::uint32_t form;
    };

    void sort_entries();
    std::vector<Target> assign_targets();
    void place_rows(const std::vector<Target>& targets, const ObservedShares* observed);

    std::unique_ptr<Segment> segment_ = std::make_unique<Segment>();
    FormTable forms_;
    std::vector<Entry> entries_;
    std::size_t dropped_ = 0;
    std::vector<std::vector<std::uint32_t>> conjunctions_;  // of the filter being added
};

}  // namespace sluice
