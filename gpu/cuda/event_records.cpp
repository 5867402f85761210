#include "gpu/cuda/event_records.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "gpu/simd/streaming_copy.hpp"

namespace sluice::cuda {

namespace {

class Packer {
public:
    Packer(const PackPlan& plan, const PackedBatch& to, const PackedSize& size)
        : plan_(plan.begin()), names_(plan.size()), to_(to), size_(size) {}

    void add_event(const engine::EventBatch& batch, std::size_t e) {
        to_.first[e] = static_cast<std::uint32_t>(size_.records);
        // One place calls add(), so that it is inlined and its counters stay in registers.
        std::span<const engine::Value> values = batch.event(e);
        for (auto groups = batch.groups_of(e);; groups = groups.subspan(1)) {
            add(values);
            if (groups.empty()) break;
            values = batch.groups[groups.front()].values;
        }
    }

    // All values of an attribute must come in one call; attributes may come in any order.
    void add(std::span<const engine::Value> values) {
        const engine::Value* const end = values.data() + values.size();
        for (const engine::Value* v = values.data(); v != end;) {
            const engine::Value* const first = v;
            do {
                ++v;
            } while (v != end && v->attribute == first->attribute);
            if (first->attribute >= names_) continue;
            const PackPlan::Uses& uses = plan_[first->attribute];
            if (!uses.known) continue;
            if (v - first == 1)
                add_only(*first, uses);
            else
                add_several({first, v}, uses);
        }
    }
    PackedSize size() const { return size_; }

private:
    static constexpr std::uint32_t any_text = EventRecord::look_up_text | EventRecord::only_text;
    static constexpr std::uint32_t streamed_bytes_min = 1024;

    void add_only(const engine::Value& v, const PackPlan::Uses& uses) {
        push(v, EventRecord::begins | (std::isnan(v.number) ? 0 : uses.of_number) |
                    (v.text.size() <= uses.text_bytes_max ? uses.of_text : 0));
    }

    void add_several(std::span<const engine::Value> values, const PackPlan::Uses& uses) {
        double least = std::numeric_limits<double>::infinity(), greatest = -least;
        bool any = false, any_nan = false, same_text = true;
        for (const engine::Value& v : values) {
            any_nan |= std::isnan(v.number);
            any |= !std::isnan(v.number);
            if (v.number < least) least = v.number;
            if (v.number > greatest) greatest = v.number;
            same_text &= v.text == values.front().text;
        }
        std::uint32_t first = EventRecord::begins;
        if (same_text && values.front().text.size() <= uses.text_bytes_max)
            first |= uses.of_text & EventRecord::only_text;
        if (any && !any_nan && least == greatest) first |= uses.of_number & EventRecord::only_number;
        for (const engine::Value& v : values) {
            std::uint32_t own = std::exchange(first, 0);
            if (!std::isnan(v.number)) own |= uses.of_number & EventRecord::look_up_number;
            if (v.text.size() <= uses.text_bytes_max) own |= uses.of_text & EventRecord::look_up_text;
            if (own != 0) push(v, own);
        }
        if (!any || (uses.of_number & EventRecord::range) == 0) return;
        const auto bits = std::bit_cast<std::uint64_t>(greatest);
        to_.records[size_.records++] = {values.front().attribute, EventRecord::range, static_cast<std::uint32_t>(bits),
                                        static_cast<std::uint32_t>(bits >> 32), least};
    }

    void push(const engine::Value& v, std::uint32_t uses) {
        const auto size = static_cast<std::uint32_t>(v.text.size());
        to_.records[size_.records++] = {v.attribute, uses, static_cast<std::uint32_t>(size_.text_words), size,
                                        v.number};
        if ((uses & any_text) == 0 || size == 0) return;
        const std::size_t words = (size + 7) / 8;
        std::uint64_t* const to = to_.text + size_.text_words;
        to[words - 1] = 0;
        if (to_.is_streamed && size >= streamed_bytes_min)
            simd::streaming_copy(to, v.text.data(), size);
        else
            std::memcpy(to, v.text.data(), size);
        size_.text_words += words;
    }

    const PackPlan::Uses* const plan_;
    const std::size_t names_;
    const PackedBatch to_;
    PackedSize size_;
};

}  // namespace

PackPlan::PackPlan(std::span<const std::span<const AttributeNeeds>> needs) {
    for (const auto& list : needs) {
        uses_.resize(std::max(uses_.size(), list.size()));
        for (std::size_t a = 0; a < list.size(); ++a) {
            const AttributeNeeds& n = list[a];
            Uses& uses = uses_[a];
            if (n.number) uses.of_number |= EventRecord::look_up_number | EventRecord::only_number;
            if (n.range) uses.of_number |= EventRecord::range;
            if (n.text) uses.of_text = EventRecord::look_up_text | EventRecord::only_text;
            uses.text_bytes_max = std::max(uses.text_bytes_max, n.text_bytes_max);
            uses.known |= n.known;
            has_texts_ |= n.text;
        }
    }
}

bool is_worth_packing(const engine::EventBatch& batch) {
    std::vector<std::uint32_t> events(batch.groups.size());
    for (const std::uint32_t group : batch.shares) ++events[group];
    std::size_t bytes = 0;
    for (std::size_t g = 0; g < batch.groups.size(); ++g) {
        for (const engine::Value& v : batch.groups[g].values) {
            bytes += events[g] * (sizeof(EventRecord) + v.text.size());
            if (bytes > shared_bytes_max) return false;
        }
    }
    return true;
}

PackedSize packed_bound(const engine::EventBatch& batch, const PackPlan& plan) {
    PackedSize size;
    const auto add = [&](std::span<const engine::Value> values) {
        size.records += 2 * values.size();
        if (!plan.has_texts()) return;
        for (const engine::Value& v : values) size.text_words += (v.text.size() + 7) / 8;
    };
    add(batch.values);
    for (const std::uint32_t group : batch.shares) add(batch.groups[group].values);
    return size;
}

std::size_t pack_part(const engine::EventBatch& batch, const PackPlan& plan, const PackedBatch& to, std::size_t begin,
                      const PartSize& least, PackedSize& size) {
    Packer packer(plan, to, size);
    std::size_t e = begin;
    while (e < batch.size() &&
           (e - begin < least.events || packer.size().text_words - size.text_words < least.text_words))
        packer.add_event(batch, e++);
    size = packer.size();
    to.first[e] = static_cast<std::uint32_t>(size.records);
    if (to.is_streamed) simd::streaming_fence();
    return e;
}

PackedSize pack(const engine::EventBatch& batch, const PackPlan& plan, const PackedBatch& to) {
    PackedSize size;
    pack_part(batch, plan, to, 0, {batch.size(), 0}, size);
    return size;
}

}  // namespace sluice::cuda
