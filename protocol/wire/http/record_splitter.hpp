// Splits a body that holds many documents into them, from pieces of any size: lines, of which each is a document
// (NDJSON), or a sequence of records that begin with RS and end with LF (RFC 7464). What it finds does not depend on
// how the body was split. Keeps what has come of one record, up to a bound; of a record that is larger only the size
// counts. Throws only bad_alloc. A plain value; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::wire {

enum class RecordFraming : std::uint8_t { lines, sequence };

struct SplitRecord {
    enum class Fault : std::uint8_t {
        none,
        too_large,     // than the bound
        passed_over,   // as pass_over() had asked for
        no_separator,  // of a sequence: there was text before its first RS
        no_line_end,   // of a sequence: its last LF is missing, so it may have been cut
    };

    std::string text;  // without what separates it; of a faulty one ""
    Fault fault = Fault::none;
    std::uint64_t number = 0;  // from 1, also of faulty ones
    std::uint64_t line = 0;    // that it begins in, of the body, from 1
    std::uint64_t offset = 0;  // of its first byte in the body, from 0
};

class RecordSplitter {
public:
    // `bytes_max`: of one record.
    RecordSplitter(RecordFraming framing, std::size_t bytes_max) : framing_(framing), bytes_max_(bytes_max) {}

    // Reads from `input` to the end of the next record, and removes what it has read. Returns false if the input had no
    // end of a record; then all of it has been read. What has nothing but white space is no record.
    bool next(std::string_view& input, SplitRecord& record);
    // The body has ended. Returns whether a last record has, too.
    bool end(SplitRecord& record) { return finish({}, record); }

    // The record that has begun will be faulty, and takes no more memory.
    void pass_over();

    std::uint64_t offset() const { return offset_; }          // of the record that has begun, in the body
    std::uint64_t pending_bytes() const { return pending_; }  // of it, that have come
    std::size_t kept_bytes() const { return text_.size(); }   // of these; none if the record will be faulty
    // The memory that it takes, once it has read so many bytes more.
    std::size_t memory_bytes(std::size_t more) const;

private:
    using Fault = SplitRecord::Fault;

    void take(std::string_view piece);
    bool finish(std::string_view piece, SplitRecord& record);
    Fault fault_of(std::string_view text, bool is_kept) const;
    void begin_next(std::size_t separator_bytes);

    const RecordFraming framing_;
    const std::size_t bytes_max_;
    std::string text_;                     // of the record that has begun, unless it is dropped
    std::uint64_t pending_ = 0;            // bytes of it that have come
    std::uint64_t lines_ = 0;              // LFs in it
    bool is_blank_ = true;                 // it has nothing but white space
    Fault dropped_ = Fault::none;          // why its text is not kept
    bool has_separator_ = false;           // of a sequence: RS came before it
    std::uint64_t records_ = 0;            // that have ended
    std::uint64_t line_ = 1, offset_ = 0;  // where it begins
};

}  // namespace sluice::wire
