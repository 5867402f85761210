// The most memory that a document takes while it is parsed, against the estimate that is charged for it before.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "protocol/feed/document_memory.hpp"
#include "protocol/feed/parse.hpp"
#include "tests/support/peak_memory.hpp"
#include "tests/support/source_folder.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

const std::vector<std::string> ignored_names{"slash:comments", "?utm_*"};

std::size_t peak_of(const std::string& text, const DocumentOptions& options) {
    testing::PeakMemory::begin();
    std::string copy = text;
    (void)parse_document(std::move(copy), options);
    return testing::PeakMemory::bytes();
}

void check_peak(const std::string& text, const char* type) {
    for (const RepairMode repair : {RepairMode::strict, RepairMode::lenient}) {
        for (const bool has_digests : {false, true}) {
            DocumentOptions options{type, "", {}};
            options.limits.items_max = options.limits.item_values_max = 1'000'000;
            options.repair = repair;
            if (has_digests) options.digests = DigestOptions{IgnoredParts(ignored_names), true};
            CAPTURE(text.substr(0, 60), text.size(), type, has_digests, repair == RepairMode::lenient);
            peak_of(text, options);  // makes tables that stay
            CHECK(peak_of(text, options) <= document_memory_max(text, options));
        }
    }
}

// The same root around what is in it, again and again.
std::string repeated(const std::string& text, std::size_t bytes) {
    const std::size_t begin = text.find('>') + 1, end = text.rfind("</");
    if (begin == 0 || end == std::string::npos || end <= begin) return text;
    std::string large = text.substr(0, begin);
    while (large.size() < bytes) large.append(text, begin, end - begin);
    return large + text.substr(end);
}

void check_folder(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream in(entry.path(), std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(in), {});
        CAPTURE(entry.path().filename());
        for (const char* type : {"", "application/xml", "text/csv", "application/x-ndjson"}) check_peak(text, type);
        for (const std::size_t bytes : {20'000u, 200'000u}) check_peak(repeated(text, bytes), "");
    }
}

}  // namespace

TEST_CASE("Parsing takes no more memory at a time than is estimated: the fuzzers' documents") {
    for (const char* corpus : {"feed_fuzz", "record_fuzz"})
        check_folder(testing::source_folder() / "tests" / "fuzz" / "corpus" / corpus);
}

TEST_CASE("Parsing takes no more memory at a time than is estimated: many small parts") {
    for (const char* part : {"<a/>", "<a>b</a>", "<a>b</a>c", "<a b=\"c\" d=\"\"/>", "<a>&amp;x</a>", "<a>&amp;</a>",
                             "x", "<a xmlns='urn:x'/>", "<dc:a dc:b=\"\"/>", "<![CDATA[]]>", "<?p q?>", "<!---->",
                             "&lt;", "\r\n", "<a\n>\r</a>", "<views/>", "<a>http://t/?utm_x=1</a>"}) {
        for (const std::size_t count : {10u, 300u, 4'000u, 50'000u}) {
            std::string text = "<r>";
            for (std::size_t i = 0; i < count; ++i) text += part;
            check_peak(text + "</r>", "");
        }
    }
}
