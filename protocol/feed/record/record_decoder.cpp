#include <optional>
#include <utility>

#include "protocol/feed/record/record_codec.hpp"
#include "protocol/feed/record/record_format.hpp"

namespace sluice::feed {

namespace {

using namespace record_format;

// The number at `at`. The caller ensures that `size` bytes follow.
std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

struct Field {
    std::uint16_t tag = 0;
    std::size_t offset = 0;  // of its header
    std::string_view value;

    std::size_t value_offset() const { return offset + field_header_bytes; }
};

class Decoder {
public:
    Decoder(std::string_view bytes, const RecordLimits& limits)
        : bytes_(bytes), limits_(limits), document_(std::make_shared<DocumentRecord>()) {}

    bool decode() { return header() && checksum() && fields() && complete(); }
    RecordAppend take();
    RecordError error() { return std::move(*error_); }

private:
    bool header();
    bool version();
    bool checksum();
    bool fields();
    bool complete();

    bool next(Field& field);
    bool read(const Field& field);
    bool feed_author(const Field& field);
    bool context(const Field& field);
    bool repairs(const Field& field);
    bool attribute(const Field& field);
    bool limits(const Field& field);
    bool events(const Field& field);
    bool event(std::size_t at);
    bool dead_letter(const Field& field);
    bool erased(const Field& field);

    bool fail(RecordError::Kind kind, std::size_t offset, std::string message) {
        error_ = RecordError{kind, std::move(message), offset};
        return false;
    }
    bool malformed(std::size_t offset, std::string message) {
        return fail(RecordError::Kind::malformed, offset, std::move(message));
    }
    bool has_size(const Field& field, std::size_t size) {
        return field.value.size() == size || malformed(field.offset, "the field " + std::to_string(field.tag) +
                                                                         " has " + std::to_string(field.value.size()) +
                                                                         " bytes instead of " + std::to_string(size));
    }

    std::string_view bytes_;
    const RecordLimits& limits_;
    std::size_t at_ = 0;
    bool has_limits_ = false;
    std::uint16_t last_tag_ = 0;
    std::shared_ptr<DocumentRecord> document_;
    std::vector<EventRecord> events_;
    std::optional<RecordError> error_;
};

bool Decoder::header() {
    using Kind = RecordError::Kind;
    if (bytes_.size() > limits_.bytes_max)
        return fail(Kind::limit, 0, "the append has more than " + std::to_string(limits_.bytes_max) + " bytes");
    if (!bytes_.starts_with(magic.substr(0, bytes_.size()))) return malformed(0, "an append begins with \"SLEV\"");
    if (bytes_.size() < header_bytes) return fail(Kind::truncated, bytes_.size(), "the append's header is cut off");
    if (!version()) return false;
    const std::uint64_t claimed = number_at(bytes_, length_offset, 4) + checksum_bytes;
    const std::uint64_t rest = bytes_.size() - header_bytes;
    at_ = header_bytes;
    if (claimed > rest) {
        return fail(Kind::truncated, bytes_.size(),
                    "the append ends " + std::to_string(claimed - rest) + " bytes too early");
    }
    return claimed == rest || malformed(header_bytes + static_cast<std::size_t>(claimed),
                                        std::to_string(rest - claimed) + " bytes follow the append");
}

// Later minor versions are read, too. None before 1.1 was ever stored.
bool Decoder::version() {
    const std::uint64_t major = number_at(bytes_, magic.size(), 1), minor = number_at(bytes_, magic.size() + 1, 1);
    if (major == major_version && minor >= minor_version) return true;
    const std::string readable = std::to_string(major_version) + "." + std::to_string(minor_version);
    return fail(RecordError::Kind::version, magic.size(),
                "the append has version " + std::to_string(major) + "." + std::to_string(minor) +
                    "; this program reads version " + readable + " and later minor versions");
}

// Takes the checksum away from the bytes.
bool Decoder::checksum() {
    const std::size_t end = bytes_.size() - checksum_bytes;
    const std::string_view written = bytes_.substr(end);
    bytes_ = bytes_.substr(0, end);
    if (checksum_of(bytes_) == written) return true;
    return fail(RecordError::Kind::damaged, end, "the append is damaged: its checksum does not fit its bytes");
}

bool Decoder::fields() {
    while (at_ < bytes_.size()) {
        Field field;
        if (!next(field) || !read(field)) return false;
    }
    return true;
}

bool Decoder::next(Field& field) {
    const std::size_t rest = bytes_.size() - at_;
    field.offset = at_;
    if (rest < field_header_bytes) return malformed(at_, "a field's header is cut off by the end of the append");
    field.tag = static_cast<std::uint16_t>(number_at(bytes_, at_, 2));
    const std::uint64_t size = number_at(bytes_, at_ + 2, 4);
    if (size > rest - field_header_bytes) {
        return malformed(at_, "the field " + std::to_string(field.tag) + " claims " + std::to_string(size) +
                                  " bytes but has " + std::to_string(rest - field_header_bytes));
    }
    field.value = bytes_.substr(field.value_offset(), static_cast<std::size_t>(size));
    at_ = field.value_offset() + field.value.size();

    if (field.tag == 0) return malformed(field.offset, "tags begin with 1");
    const bool repeats = field.tag == static_cast<std::uint16_t>(Tag::feed_author) ||
                         field.tag == static_cast<std::uint16_t>(Tag::attribute) ||
                         field.tag > static_cast<std::uint16_t>(Tag::erased);
    if (field.tag < last_tag_ || (field.tag == last_tag_ && !repeats)) {
        return malformed(field.offset,
                         "the field " + std::to_string(field.tag) + " follows the field " + std::to_string(last_tag_));
    }
    last_tag_ = field.tag;
    return true;
}

bool Decoder::read(const Field& field) {
    const std::string_view value = field.value;
    switch (static_cast<Tag>(field.tag)) {
        case Tag::text:
            return document_->text = std::make_shared<const std::string>(value), true;
        case Tag::content_type:
            return document_->content_type = value, true;
        case Tag::event_path:
            return document_->event_path = value, true;
        case Tag::context:
            return context(field);
        case Tag::feed_title:
            return document_->feed_fields.title = value, true;
        case Tag::feed_link:
            return document_->feed_fields.link = value, true;
        case Tag::feed_author:
            return feed_author(field);
        case Tag::owner:
            return document_->owner = value, true;
        case Tag::trace_parent:
            return document_->trace_parent = value, true;
        case Tag::trace_state:
            return document_->trace_state = value, true;
        case Tag::repairs:
            return repairs(field);
        case Tag::attribute:
            return attribute(field);
        case Tag::limits:
            return limits(field);
        case Tag::events:
            return events(field);
        case Tag::dead_letter:
            return dead_letter(field);
        case Tag::erased:
            return erased(field);
    }
    return true;  // of a later minor version
}

bool Decoder::feed_author(const Field& field) {
    std::vector<std::string>& authors = document_->feed_fields.authors;
    if (authors.size() == feed_authors_max)
        return malformed(field.offset, "the feed has more than " + std::to_string(feed_authors_max) + " authors");
    authors.emplace_back(field.value);
    return true;
}

bool Decoder::context(const Field& field) {
    if (!has_size(field, 1)) return false;
    const std::uint64_t value = number_at(field.value, 0, 1);
    if (value > static_cast<std::uint64_t>(RecordContext::item))
        return malformed(field.value_offset(), "the context " + std::to_string(value) + " is not known");
    document_->context = static_cast<RecordContext>(value);
    return true;
}

bool Decoder::repairs(const Field& field) {
    if (!has_size(field, 8)) return false;
    document_->repairs = number_at(field.value, 0, 8);
    return true;
}

bool Decoder::attribute(const Field& field) {
    if (document_->attributes.size() == limits_.attributes_max) {
        return fail(RecordError::Kind::limit, field.offset,
                    "the append has more than " + std::to_string(limits_.attributes_max) + " attributes");
    }
    if (field.value.size() < 4) return malformed(field.offset, "an attribute has at least 4 bytes");
    const std::uint64_t name = number_at(field.value, 0, 4);
    const std::string_view text = field.value.substr(4);
    if (name > text.size()) {
        return malformed(field.value_offset(), "an attribute's name claims " + std::to_string(name) +
                                                   " bytes but has " + std::to_string(text.size()));
    }
    const auto split = static_cast<std::size_t>(name);
    document_->attributes.emplace_back(text.substr(0, split), text.substr(split));
    return true;
}

bool Decoder::limits(const Field& field) {
    if (!has_size(field, limits_bytes)) return false;
    FeedLimits& limits = document_->limits;
    std::size_t at = 0;
    for (std::size_t* limit : {&limits.document_bytes_max, &limits.depth_max, &limits.items_max,
                               &limits.item_values_max, &limits.values_max}) {
        *limit = static_cast<std::size_t>(number_at(field.value, at, 8));
        at += 8;
    }
    return has_limits_ = true;
}

bool Decoder::events(const Field& field) {
    if (field.value.size() < 2) return malformed(field.offset, "the events have at least 2 bytes");
    const auto stride = static_cast<std::size_t>(number_at(field.value, 0, 2));
    const std::size_t rest = field.value.size() - 2;
    if (stride < event_bytes || rest % stride != 0) {
        return malformed(field.value_offset(), std::to_string(rest) + " bytes can't be split into events of " +
                                                   std::to_string(stride) + " bytes");
    }
    if (rest / stride > limits_.events_max) {
        return fail(RecordError::Kind::limit, field.offset,
                    "the append has more than " + std::to_string(limits_.events_max) + " events");
    }
    events_.reserve(rest / stride);
    for (std::size_t at = 2; at < field.value.size(); at += stride) {
        if (!event(field.value_offset() + at)) return false;
    }
    return true;
}

bool Decoder::event(std::size_t at) {
    EventRecord event;
    event.id = number_at(bytes_, at, 8);
    event.time = static_cast<RecordTime>(number_at(bytes_, at + 8, 8));
    const std::uint64_t change = number_at(bytes_, at + 16, 1);
    if (change > static_cast<std::uint64_t>(EventRecord::Change::updated))
        return malformed(at + 16, "the change " + std::to_string(change) + " is not known");
    event.change = static_cast<EventRecord::Change>(change);
    for (std::size_t i = 0; i < event.identity.size(); ++i) {
        event.identity[i] = static_cast<std::uint8_t>(bytes_[at + 17 + i]);
        event.content[i] = static_cast<std::uint8_t>(bytes_[at + 33 + i]);
    }
    event.item.offset = static_cast<std::uint32_t>(number_at(bytes_, at + 49, 4));
    event.item.length = static_cast<std::uint32_t>(number_at(bytes_, at + 53, 4));
    events_.push_back(std::move(event));
    return true;
}

bool Decoder::dead_letter(const Field& field) {
    if (field.value.size() < dead_letter_bytes)
        return malformed(field.offset, "a dead letter has at least " + std::to_string(dead_letter_bytes) + " bytes");
    const std::uint64_t subscription = number_at(field.value, 12, 4), stream = number_at(field.value, 16, 4);
    const std::string_view texts = field.value.substr(dead_letter_bytes);
    if (subscription + stream > texts.size()) {
        return malformed(field.value_offset() + 12, "a dead letter's names claim " +
                                                        std::to_string(subscription + stream) + " bytes but have " +
                                                        std::to_string(texts.size()));
    }
    const auto first = static_cast<std::size_t>(subscription), second = static_cast<std::size_t>(stream);
    DeadLetter letter{std::string(texts.substr(0, first)), std::string(texts.substr(first, second)),
                      number_at(field.value, 0, 8), static_cast<std::uint32_t>(number_at(field.value, 8, 4)),
                      std::string(texts.substr(first + second))};
    document_->dead_letter = std::make_shared<const DeadLetter>(std::move(letter));
    return true;
}

bool Decoder::erased(const Field& field) {
    if (field.value.empty() || field.value.size() % erased_bytes != 0) {
        return malformed(field.offset, std::to_string(field.value.size()) +
                                           " bytes can't be split into the indices of erased events");
    }
    for (std::size_t at = 0; at < field.value.size(); at += erased_bytes) {
        const std::uint64_t index = number_at(field.value, at, erased_bytes);
        if (index >= events_.size())
            return malformed(
                field.value_offset() + at,
                "the event " + std::to_string(index) + " is erased, but there are " + std::to_string(events_.size()));
        events_[static_cast<std::size_t>(index)].is_erased = true;
    }
    return true;
}

bool Decoder::complete() {
    if (document_->text == nullptr) return malformed(header_bytes, "the append has no text");
    return has_limits_ || malformed(header_bytes, "the append has no limits");
}

RecordAppend Decoder::take() {
    RecordAppend append{std::move(document_), std::move(events_)};
    for (EventRecord& event : append.events) event.document = append.document;
    return append;
}

}  // namespace

boost::system::result<RecordAppend, RecordError> decode_append(std::string_view bytes, const RecordLimits& limits) {
    Decoder decoder(bytes, limits);
    if (!decoder.decode()) return decoder.error();
    return decoder.take();
}

}  // namespace sluice::feed
