#include "broker/store/kept_memory.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::store {

namespace {

constexpr std::size_t shared_bytes = 16 + allocation_bytes;  // of what a std::shared_ptr owns, in addition

// Short texts are inside the string.
std::size_t memory_of(const std::string& text) {
    static const std::size_t inside = std::string().capacity();
    return text.capacity() <= inside ? 0 : text.capacity() + allocation_bytes;
}

std::size_t memory_of(const std::optional<std::string>& text) { return text ? memory_of(*text) : 0; }

std::size_t memory_of(const feed::FeedFields& fields) {
    std::size_t bytes = memory_of(fields.title) + memory_of(fields.link) + memory_of(fields.base);
    if (fields.authors.capacity() != 0) bytes += fields.authors.capacity() * sizeof(std::string) + allocation_bytes;
    for (const std::string& author : fields.authors) bytes += memory_of(author);
    return bytes;
}

std::size_t memory_of(const feed::DocumentRecord& record) {
    std::size_t bytes = sizeof record + sizeof *record.text + 2 * shared_bytes + memory_of(*record.text) +
                        memory_of(record.content_type) + memory_of(record.event_path) + memory_of(record.feed_fields) +
                        memory_of(record.owner) + memory_of(record.trace_parent) + memory_of(record.trace_state);
    if (const feed::DeadLetterPtr& letter = record.dead_letter) {
        bytes += sizeof *letter + shared_bytes + memory_of(letter->subscription) + memory_of(letter->stream) +
                 memory_of(letter->reason);
    }
    if (record.attributes.capacity() != 0)
        bytes += record.attributes.capacity() * sizeof record.attributes[0] + allocation_bytes;
    for (const auto& [name, value] : record.attributes) bytes += memory_of(name) + memory_of(value);
    return bytes;
}

}  // namespace

std::size_t memory_of(const Kept& kept) {
    return kept.events.capacity() * sizeof kept.events[0] + allocation_bytes + shared_bytes + memory_of(*kept.record);
}

}  // namespace sluice::store
