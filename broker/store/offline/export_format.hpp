// The file that `sluice store export` writes and `import` reads: a store as a sequence of records, version 1. Numbers
// are little-endian.
//
//   offset  bytes
//        0      8  "SLUICEEX"
//        8      4  version: 1
//       12         records, the last of which is the end; nothing follows it
//
// A record:
//
//        0      1  type
//        1      4  n, the length of the body
//        5      n  body
//    5 + n      4  CRC32C of the 5 + n bytes before it
//
// Types, in this order, and those of one type in the order of their keys. Keys and values are those of the store's
// tables (broker/store/rocks/layout.hpp).
//
//   log         l  LogRecord; once
//   stream      s  stream (4, big-endian), StreamRecord
//   definition  d  stream (4, big-endian), the definition; behind its stream
//   events      e  first id (8, big-endian), the value: a header, and the record codec's bytes of one append
//   identity    i  key (20), value
//   reply       r  key (16), value
//   value       v  length of the name (2), name, value
//   erasure     x  stream (4, big-endian), id (8, big-endian), keys: of an event of which erasing was cut short
//   end         z  how many records of each of the types above the file has (8 × 8)
//
// One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sluice::store {

enum class ExportType : std::uint8_t { log, stream, definition, events, identity, reply, value, erasure, end };
inline constexpr std::size_t export_types = 8;  // without the end

struct ExportRecord {
    ExportType type = ExportType::log;
    std::string body;
};

// A file that is not what export writes; what() names the place.
struct ExportError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class ExportWriter {
public:
    explicit ExportWriter(std::ostream& out);

    void write(ExportType type, std::string_view body);
    void end();
    // Throws std::runtime_error if not everything could be written.
    void flush();

private:
    std::ostream& out_;
    std::array<std::uint64_t, export_types> counts_{};
};

// Takes no more memory than the file has bytes, whatever lengths it claims.
class ExportReader {
public:
    // Throws ExportError, as next() does.
    explicit ExportReader(std::istream& in);

    // None: at the end.
    std::optional<ExportRecord> next();
    // Throws ExportError about the record that next() has returned.
    [[noreturn]] void refuse(const std::string& why) const;

private:
    std::string take(std::size_t bytes);
    void check_end(std::string_view counts);

    std::istream& in_;
    std::uint64_t offset_ = 0, record_at_ = 0;
    std::array<std::uint64_t, export_types> counts_{};
};

}  // namespace sluice::store
