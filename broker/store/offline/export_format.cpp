#include "broker/store/offline/export_format.hpp"

#include <algorithm>
#include <istream>
#include <ostream>

#include "protocol/text/crc32c.hpp"

namespace sluice::store {

namespace {

constexpr std::string_view magic = "SLUICEEX";
constexpr std::uint32_t version = 1;
constexpr std::string_view letters = "lsdeirvxz";

constexpr std::size_t mib = 1u << 20;
// Of a record's body, by type. Events may be as long as the codec allows.
constexpr std::array<std::size_t, export_types + 1> bytes_max{1'024,    4'096,    mib,      0xFFFF'FFFF,     1'024,
                                                              16 * mib, 64 * mib, 64 * mib, 8 * export_types};

void add_number(std::string& bytes, std::uint64_t number, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(number >> 8 * i & 0xFF);
}

std::uint64_t number_in(std::string_view bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return number;
}

constexpr std::size_t index_of_type(ExportType type) { return static_cast<std::size_t>(type); }

}  // namespace

ExportWriter::ExportWriter(std::ostream& out) : out_(out) {
    std::string head(magic);
    add_number(head, version, 4);
    out_ << head;
}

void ExportWriter::write(ExportType type, std::string_view body) {
    std::string bytes(1, letters[index_of_type(type)]);
    add_number(bytes, body.size(), 4);
    bytes += body;
    add_number(bytes, text::crc32c(bytes), 4);
    out_ << bytes;
    if (type != ExportType::end) ++counts_[index_of_type(type)];
}

void ExportWriter::end() {
    std::string counts;
    for (const std::uint64_t count : counts_) add_number(counts, count, 8);
    write(ExportType::end, counts);
}

void ExportWriter::flush() {
    out_.flush();
    if (!out_) throw std::runtime_error("the export can't be written");
}

ExportReader::ExportReader(std::istream& in) : in_(in) {
    if (take(magic.size()) != magic) refuse("it is not an export of a store");
    const std::uint64_t number = number_in(take(4));
    if (number != version)
        refuse("it has version " + std::to_string(number) + ", and this version of Sluice reads " +
               std::to_string(version) + " only");
}

void ExportReader::refuse(const std::string& why) const {
    throw ExportError("offset " + std::to_string(record_at_) + ": " + why);
}

std::string ExportReader::take(std::size_t bytes) {
    std::string taken;
    while (taken.size() < bytes) {
        const std::size_t before = taken.size(), part = std::min(bytes - before, mib);
        taken.resize(before + part);
        in_.read(taken.data() + before, static_cast<std::streamsize>(part));
        const auto n = static_cast<std::size_t>(in_.gcount());
        offset_ += n;
        if (n != part) refuse("the file is cut short: it ends at offset " + std::to_string(offset_));
    }
    return taken;
}

void ExportReader::check_end(std::string_view counts) {
    if (counts.size() != 8 * export_types) refuse("the last record has a wrong length");
    for (std::size_t i = 0; i < export_types; ++i) {
        const std::uint64_t count = number_in(counts.substr(8 * i, 8));
        if (count != counts_[i])
            refuse("there should be " + std::to_string(count) + " records of type " + letters[i] + ", and there are " +
                   std::to_string(counts_[i]));
    }
    if (in_.peek() != std::istream::traits_type::eof()) {
        record_at_ = offset_;
        refuse("there is something behind the last record");
    }
}

std::optional<ExportRecord> ExportReader::next() {
    record_at_ = offset_;
    std::string bytes = take(5);
    const std::size_t type = letters.find(bytes[0]);
    if (type == std::string_view::npos)
        refuse("a record of unknown type " + std::to_string(static_cast<unsigned char>(bytes[0])));
    const std::uint64_t length = number_in(std::string_view(bytes).substr(1));
    if (length > bytes_max[type])
        refuse("a record of type " + std::string(1, letters[type]) + " has " + std::to_string(length) +
               " bytes, and the most are " + std::to_string(bytes_max[type]));
    bytes += take(length);
    if (number_in(take(4)) != text::crc32c(bytes)) refuse("the record's checksum is wrong");
    bytes.erase(0, 5);
    if (type == index_of_type(ExportType::end)) {
        check_end(bytes);
        return std::nullopt;
    }
    ++counts_[type];
    return ExportRecord{static_cast<ExportType>(type), std::move(bytes)};
}

}  // namespace sluice::store
