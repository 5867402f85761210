#include "protocol/feed/model/limit_errors.hpp"

#include "protocol/feed/model/text_position.hpp"

namespace sluice::feed {

namespace {

FeedError over_limit(const std::string& text, std::size_t offset, const std::string& message, std::size_t value) {
    return error_at(FeedError::Kind::limit, text, offset, message + " (" + std::to_string(value) + ")");
}

}  // namespace

FeedError too_many_bytes(const FeedLimits& limits) {
    return over_limit({}, 0, "the document is larger than limits.document_bytes", limits.document_bytes_max);
}

FeedError too_many_items(const std::string& text, std::size_t offset, const FeedLimits& limits) {
    return over_limit(text, offset, "the document has more items than limits.items", limits.items_max);
}

FeedError too_many_item_values(const std::string& text, std::size_t offset, const FeedLimits& limits) {
    return over_limit(text, offset, "the item that begins here has more values than limits.values_per_event",
                      limits.item_values_max);
}

FeedError too_many_values(const std::string& text, std::size_t offset, const FeedLimits& limits) {
    return over_limit(text, offset, "the document has more values than limits.values", limits.values_max);
}

}  // namespace sluice::feed
