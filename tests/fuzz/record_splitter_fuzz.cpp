// Any bytes as a body of many documents, in both framings: the records do not depend on how the body is split, are
// within the bound and stand where they say.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "protocol/wire/http/record_splitter.hpp"

namespace {

using sluice::wire::RecordFraming;
using sluice::wire::RecordSplitter;
using sluice::wire::SplitRecord;

constexpr std::size_t bytes_max = 64;

void require(bool holds) {
    if (!holds) std::abort();
}

std::vector<SplitRecord> split(RecordFraming framing, std::string_view body, std::size_t piece) {
    RecordSplitter splitter(framing, bytes_max);
    std::vector<SplitRecord> records;
    SplitRecord record;
    while (!body.empty()) {
        std::string_view input = body.substr(0, piece);
        body.remove_prefix(input.size());
        while (splitter.next(input, record)) records.push_back(record);
        require(splitter.memory_bytes(0) <= 4 * bytes_max);
    }
    if (splitter.end(record)) records.push_back(record);
    return records;
}

void check(RecordFraming framing, std::string_view body) {
    const std::vector<SplitRecord> whole = split(framing, body, std::max<std::size_t>(1, body.size()));
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        const SplitRecord& record = whole[i];
        const auto lines = std::count(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(record.offset), '\n');
        require(record.number == i + 1 && record.offset >= end && record.text.size() <= bytes_max);
        require(record.line == static_cast<std::uint64_t>(lines) + 1);
        require(body.substr(record.offset, record.text.size()) == record.text);
        require(record.text.empty() == (record.fault != SplitRecord::Fault::none));
        end = record.offset + record.text.size();
    }
    for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{100}}) {
        const std::vector<SplitRecord> again = split(framing, body, piece);
        require(std::equal(whole.begin(), whole.end(), again.begin(), again.end(), [](const auto& a, const auto& b) {
            return a.text == b.text && a.fault == b.fault && a.number == b.number && a.line == b.line &&
                   a.offset == b.offset;
        }));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    check(RecordFraming::lines, body);
    check(RecordFraming::sequence, body);
    return 0;
}
