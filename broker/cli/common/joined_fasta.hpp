// FASTA as texts that can be searched: the letters of each record joined, with a line feed behind them, which no
// pattern contains. Takes a file in pieces, and keeps the names of the records that it is asked to. Belongs to one
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "protocol/text/fasta.hpp"

namespace sluice::cli {

class JoinedFasta {
public:
    struct Record {
        std::uint64_t begin = 0;  // of its letters in all that take() has written
        std::uint64_t index = 0;  // from 0
        std::string name;
    };
    static constexpr std::size_t names_bytes_max = std::size_t{16} << 20;  // of the kept records, before take() stops

    // The bytes of the file that follow those before, once take() has returned 0. They must stay until it does so
    // again.
    void give(std::string_view bytes, bool is_last) { reader_.give(bytes, is_last_ = is_last); }
    // Writes at most `room` bytes and returns how many. 0: more are needed, or there are no more, or error().
    std::size_t take(char* to, std::size_t room);
    // Whether the last take() stopped at the beginning of a record, since the names of those that are kept are long.
    bool stopped_at_record() const { return stopped_at_record_; }

    // Those that are kept, ascending; the last one may not be complete.
    const std::deque<Record>& records() const { return records_; }
    // Forgets the records that end at or before this offset.
    void forget_before(std::uint64_t offset);

    std::uint64_t letters() const { return letters_; }
    std::uint64_t record_count() const { return record_count_; }

    // Empty, or why the file is not FASTA, and in which line.
    const std::string& error() const { return error_; }
    std::uint64_t error_line() const { return reader_.line(); }

private:
    bool read_part();
    void begin_record(std::string_view header);

    text::FastaReader reader_;
    bool is_last_ = false, is_open_ = false, stopped_at_record_ = false;
    std::string_view rest_;  // to be written
    std::uint64_t written_ = 0, letters_ = 0, record_count_ = 0;
    std::deque<Record> records_;
    std::size_t names_bytes_ = 0;
    std::string error_;
};

// "expected letters, '*', '-' or '.', not '1' (column 3)": why FASTA is not valid at a part that is not.
std::string describe_fasta_fault(const text::FastaReader& reader, const text::FastaReader::Part& part);

}  // namespace sluice::cli
