#include "broker/core/ingest/charged_document.hpp"

#include <memory>
#include <utility>

#include "broker/core/matching/event_queue.hpp"
#include "protocol/feed/document_memory.hpp"
#include "protocol/feed/parse.hpp"

namespace sluice::broker {

namespace {

struct Held {
    base::MemoryCharge document_memory, event_memory;
    feed::DocumentPtr document;  // destroyed first
};

}  // namespace

ChargedDocument parse_charged(base::MemoryBudget& memory, std::string&& bytes, const feed::DocumentOptions& options,
                              std::size_t held_bytes) {
    ChargedDocument parsed;
    const std::size_t bytes_max = feed::document_memory_max(bytes, options);
    const auto held = std::make_shared<Held>();
    held->document_memory = memory.charge(base::MemoryUse::documents, bytes_max);
    if (!held->document_memory) {
        parsed.missing = missing_memory(memory, base::MemoryUse::documents, bytes_max, held_bytes);
        return parsed;
    }
    auto document = feed::parse_document(std::move(bytes), options);
    if (!document) {
        parsed.fault = std::move(document).error();
        return parsed;
    }
    held->document = std::move(*document);
    held->document_memory.force_resize(held->document->memory_bytes() + sizeof(Held));
    // The text is gone, so the caller could not try again. The estimate was for more than both charges.
    held->event_memory =
        memory.force_charge(base::MemoryUse::queues, held->document->items().size() * sizeof(QueuedEvent));
    parsed.document = feed::DocumentPtr(held, held->document.get());
    return parsed;
}

}  // namespace sluice::broker
