#include "broker/core/subscriptions/dead_letter.hpp"

#include <span>
#include <utility>

#include "broker/core/replay/stored_documents.hpp"
#include "protocol/feed/model/source_range.hpp"
#include "protocol/feed/record/record_item.hpp"

namespace sluice::broker {

namespace {

// None: the record has no such item, or it can't be kept alone and has to be.
std::optional<feed::ItemRecord> item_alone(StoredDocuments& documents, const feed::DocumentRecordPtr& record,
                                           feed::SourceRange place, bool is_always_alone) {
    if (record->context == feed::RecordContext::item) return feed::ItemRecord{*record, place};
    const feed::DocumentPtr document = documents.document(record);
    if (document == nullptr) return std::nullopt;
    const auto item = feed::find_item(*document, place);
    if (!item) return std::nullopt;
    auto alone = feed::record_items(*document, *record, std::span(&*item, 1), record->text->size());
    if (alone) return std::move(alone->front());
    if (is_always_alone && document->items().size() > 1) return std::nullopt;
    return feed::ItemRecord{*record, place};
}

}  // namespace

std::optional<store::Append> dead_letter_append(StoredDocuments& documents, const store::Kept& of,
                                                const feed::EventHead& event, feed::DeadLetter letter,
                                                std::shared_ptr<const std::string> stream, bool is_always_alone) {
    auto alone = item_alone(documents, of.record, event.item, is_always_alone);
    if (!alone) return std::nullopt;
    letter.stream = *of.stream;
    letter.id = event.id;
    alone->document.dead_letter = std::make_shared<const feed::DeadLetter>(std::move(letter));

    store::Append append;
    append.stream = std::move(stream);
    append.record = std::make_shared<const feed::DocumentRecord>(std::move(alone->document));
    append.events.emplace_back().item = alone->item;
    append.document = documents.document(append.record);
    if (append.document == nullptr || !feed::find_item(*append.document, alone->item)) return std::nullopt;
    return append;
}

}  // namespace sluice::broker
