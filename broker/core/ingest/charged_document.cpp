#include "broker/core/ingest/charged_document.hpp"

#include <memory>
#include <utility>

#include "broker/core/matching/event_queue.hpp"
#include "protocol/feed/document_memory.hpp"

namespace sluice::broker {

namespace {

struct Held {
    base::MemoryCharge document_memory, event_memory;
    feed::DocumentPtr document;  // destroyed first
};

}  // namespace

MemoryShortage shortage_of(const base::MemoryBudget& memory, base::MemoryUse use, std::size_t bytes) {
    return memory.could_fit(use, bytes) ? MemoryShortage::temporary : MemoryShortage::permanent;
}

ChargedDocument parse_charged(base::MemoryBudget& memory, std::string&& bytes, const feed::DocumentOptions& options) {
    ChargedDocument parsed;
    const std::size_t bytes_max = feed::document_memory_max(bytes, options);
    const auto held = std::make_shared<Held>();
    held->document_memory = memory.charge(base::MemoryUse::documents, bytes_max);
    if (!held->document_memory) {
        parsed.shortage = shortage_of(memory, base::MemoryUse::documents, bytes_max);
        return parsed;
    }
    auto document = feed::parse_document(std::move(bytes), options);
    if (!document) {
        parsed.fault = std::move(document).error();
        return parsed;
    }
    held->document = std::move(*document);
    held->document_memory.force_resize(held->document->memory_bytes() + sizeof(Held));
    const std::size_t event_bytes = held->document->items().size() * sizeof(QueuedEvent);
    held->event_memory = memory.charge(base::MemoryUse::queues, event_bytes);
    if (held->event_memory)
        parsed.document = feed::DocumentPtr(held, held->document.get());
    else
        parsed.shortage = shortage_of(memory, base::MemoryUse::queues, held->document_memory.bytes() + event_bytes);
    return parsed;
}

}  // namespace sluice::broker
