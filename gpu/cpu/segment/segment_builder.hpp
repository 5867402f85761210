// Collects subscriptions, both new ones and those of other segments, and makes a segment of them. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/cpu/segment/form_table.hpp"
#include "gpu/cpu/segment/segment.hpp"
#include "gpu/operators/device_family.hpp"
#include "gpu/tables/name_table.hpp"

namespace sluice::cpu {

class SegmentBuilder {
public:
    // Returns a number for drop(). If it throws, nothing is added.
    std::uint32_t add(engine::SubscriptionId id, const engine::NormalForm& filter, engine::NameTable& attributes,
                      engine::NameTable& scanned);
    void drop(std::uint32_t number);
    // Returns a name's id in the dictionaries that the segment is built for.
    using Rename = std::function<std::uint32_t(engine::Family family, std::uint32_t name)>;
    // Takes over the other segment's entries except the removed ones (null: none is removed).
    void absorb(const Segment& other, const Bitmap* removed, const Rename& rename = {});

    std::size_t size() const { return entries_.size() - dropped_; }
    engine::SegmentLoad load() const;  // with what was dropped
    // Calls visit(id, number) for each subscription, with its number for drop().
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::uint32_t number = 0; number < entries_.size(); ++number)
            if (entries_[number].form != dropped_form) visit(entries_[number].id, number);
    }
    // The last call. `events`: used, besides the subscriptions themselves, to choose access literals. `devices`, which
    // the operators may use, may be null. Throws LimitError if the content is more than a segment can hold. If it
    // throws, the builder has the same subscriptions as before, but their numbers may have changed.
    std::shared_ptr<const Segment> build(std::span<const SampledEvent> events = {},
                                         const std::shared_ptr<operators::OperatorDevices>& devices = nullptr);

private:
    static constexpr std::uint32_t dropped_form = engine::none;

    struct Entry {
        engine::SubscriptionId id;
        std::uint32_t form;
    };

    void begin_segment();
    void sort_entries();
    std::vector<RowTarget> assign_targets();
    void place_rows(const std::vector<RowTarget>& targets, const ObservedShares* observed);

    std::unique_ptr<Segment> segment_ = std::make_unique<Segment>();
    FormTable forms_;
    std::vector<Entry> entries_;
    std::size_t dropped_ = 0;
    std::vector<std::uint32_t> codes_;                      // of the terms of the filter being added,
    std::vector<std::vector<std::uint32_t>> conjunctions_;  // and of its conjunctions
};

}  // namespace sluice::cpu
