#include "broker/core/replay/stored_documents.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "broker/base/log.hpp"
#include "protocol/feed/document_memory.hpp"
#include "protocol/feed/record/record_document.hpp"

namespace sluice::broker {

namespace {

constexpr std::size_t kept_max = 8;

struct Held {
    base::MemoryCharge memory;
    feed::DocumentPtr document;  // destroyed first
};

}  // namespace

feed::DocumentPtr StoredDocuments::parse(const feed::DocumentRecord& record) const {
    const feed::DocumentOptions options{record.content_type, record.event_path, record.limits};
    const auto held = std::make_shared<Held>();
    held->memory = memory_.charge(base::MemoryUse::evaluation, feed::document_memory_max(*record.text, options));
    if (!held->memory) throw NoMemory();
    auto parsed = feed::parse_record(record, limits_);
    if (!parsed) {
        // Not the error's message, which quotes the document.
        base::log_error(
            "a stored document can't be parsed, its events are missing in replays",
            {{"content_type", record.content_type}, {"bytes", record.text->size()}, {"offset", parsed.error().offset}});
        return nullptr;
    }
    held->document = std::move(*parsed);
    held->memory.force_resize(held->document->memory_bytes() + sizeof(Held));
    return feed::DocumentPtr(held, held->document.get());
}

feed::DocumentPtr StoredDocuments::document(const feed::DocumentRecordPtr& record) {
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.record == record; });
    if (found != kept_.end()) {
        kept_.splice(kept_.begin(), kept_, found);
        return found->document;
    }
    feed::DocumentPtr document = parse(*record);
    if (document == nullptr || document->items().size() < 2) return document;
    kept_.push_front({record, document});
    if (kept_.size() > kept_max) kept_.pop_back();
    return document;
}

}  // namespace sluice::broker
