#include "protocol/feed/values/value_groups.hpp"

#include <functional>
#include <utility>

namespace sluice::feed {

namespace {

constexpr std::size_t group_bytes = 256;              // without values
constexpr std::size_t large_group_bytes = 64u << 10;  // a larger group is released without delay
constexpr std::size_t small_groups_bytes = 64u << 10;
constexpr std::size_t latest_places = 8;

}  // namespace

std::size_t ValueGroups::Hash::operator()(const Key& key) const {
    std::size_t h = key.place;
    for (const void* part : {key.plan, key.document, key.node})
        h = (h ^ std::hash<const void*>()(part)) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

// A new document may have the address of a destroyed one.
bool ValueGroups::is_of(const Group& group, const Source& source) {
    return group.node == source.node && group.plan == source.plan && !group.document.owner_before(source.document) &&
           !source.document.owner_before(group.document);
}

ValueGroups::Group& ValueGroups::look_up(const Source& source) {
    const bool has_latest = source.place < latest_places;
    if (has_latest && latest_.empty()) latest_.resize(latest_places);
    if (has_latest && latest_[source.place] != nullptr && is_of(*latest_[source.place], source))
        return *latest_[source.place];
    const auto [at, is_new] =
        groups_.try_emplace({source.plan.get(), source.document.get(), source.node, source.place});
    Group& group = at->second;
    if (is_new || group.id == 0 || !is_of(group, source)) {
        count_out(group);
        if (!is_new) group = Group();
        group.plan = source.plan;
        group.document = source.document;
        group.node = source.node;
    }
    if (has_latest) latest_[source.place] = &group;
    return group;
}

void ValueGroups::count_in(Group& group) {
    group.id = engine::ValueGroup::new_id();
    group.bytes = group_bytes + group.values.capacity() * sizeof(engine::Value) + group.texts.bytes() +
                  group.unknown.capacity() * sizeof(std::uint32_t);
    bytes_ += group.bytes;
    large_ += group.bytes > large_group_bytes ? 1u : 0u;
    values_read_ += group.values.size();
}

void ValueGroups::count_out(const Group& group) {
    bytes_ -= group.bytes;
    large_ -= group.bytes > large_group_bytes ? 1u : 0u;
}

void ValueGroups::add(Group& group, engine::EventBatch& batch) const {
    group.used_in = batches_;
    for (const std::uint32_t attribute : group.unknown)
        batch.unknown.push_back({static_cast<std::uint32_t>(batch.size()), attribute});
    if (group.values.empty()) return;
    if (group.index >= batch.groups.size() || batch.groups[group.index].id != group.id) {
        group.index = static_cast<std::uint32_t>(batch.groups.size());
        batch.groups.push_back({group.id, group.values, group.events});
    }
    batch.shares.push_back(group.index);
}

template <class Test>
void ValueGroups::erase_if(Test test) {
    latest_.clear();
    std::erase_if(groups_, [&](const auto& entry) {
        if (!test(entry.second)) return false;
        count_out(entry.second);
        return true;
    });
}

// Does nothing while there is little to release.
void ValueGroups::forget_documents() {
    if (large_ == 0 && bytes_ <= 2 * bytes_before_ + small_groups_bytes && bytes_ <= kept_bytes_max) return;
    erase_if([](const Group& group) { return group.document.expired(); });
    if (bytes_ > kept_bytes_max) erase_if([this](const Group& group) { return group.used_in != batches_; });
    bytes_before_ = bytes_;
}

}  // namespace sluice::feed
