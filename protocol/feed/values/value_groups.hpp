// The values outside items, such as those of ../title: read once for all items below the same element, in any batch,
// and kept as long as the document. Belongs to the thread that fills batches; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "gpu/api/event_batch.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/text_arena.hpp"

namespace sluice::feed {

class ValueGroups {
public:
    // Above this size, forget_documents() keeps only the groups that the last batch used.
    static constexpr std::size_t kept_bytes_max = 32u << 20;

    // What is read: the values of one plan's attributes, at one of its places, from one node of the document (null: of
    // the document, or of nothing).
    struct Source {
        const std::shared_ptr<const void>& plan;
        std::size_t place = 0;
        const void* node = nullptr;
        const DocumentPtr& document;
    };

    // Adds the values to those of the event being filled in the batch. Calls `read(values, texts, unknown)` if they are
    // not known yet; it must sort them by attribute. It may leave attributes unknown, which it adds to a third list.
    // It returns how many events of the document have these values.
    template <class Read>
    void share(const Source& source, engine::EventBatch& batch, const Read& read) {
        Group& group = look_up(source);
        if (group.id == 0) {
            group.values.clear();  // of a reading that failed
            group.texts.clear();
            group.unknown.clear();
            group.events = read(group.values, group.texts, group.unknown);
            count_in(group);
        }
        add(group, batch);
    }

    // Between batches: releases groups of documents that nobody holds any more. Small groups may stay for a while.
    void forget_documents();
    void begin_batch() { ++batches_; }

    std::size_t bytes() const { return bytes_; }
    std::size_t values_read() const { return values_read_; }  // ever

private:
    struct Key {
        const void* plan;
        const void* document;
        const void* node;
        std::size_t place;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    struct Group {
        std::uint64_t id = 0;  // 0: not read yet
        std::shared_ptr<const void> plan;
        std::weak_ptr<const Document> document;
        const void* node = nullptr;
        std::vector<engine::Value> values;
        TextArena texts;
        std::vector<std::uint32_t> unknown;  // attributes
        std::size_t bytes = 0;               // that are counted
        std::uint32_t events = 1;            // of the document
        std::uint32_t index = 0;             // in the batch
        std::uint64_t used_in = 0;           // the last batch that used it
    };

    static bool is_of(const Group& group, const Source& source);
    Group& look_up(const Source& source);
    void count_in(Group& group);
    void count_out(const Group& group);
    void add(Group& group, engine::EventBatch& batch) const;
    template <class Test>
    void erase_if(Test test);

    std::unordered_map<Key, Group, Hash> groups_;
    std::vector<Group*> latest_;                // by place, for the first few places: usually the wanted group
    std::size_t bytes_ = 0, bytes_before_ = 0;  // of the groups; at the last cleanup
    std::size_t large_ = 0;                     // number of large groups
    std::size_t values_read_ = 0;
    std::uint64_t batches_ = 1;
};

}  // namespace sluice::feed
