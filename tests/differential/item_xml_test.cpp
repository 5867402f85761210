// The items of every real feed of the test data, as XML that stands alone: libxml2 accepts it, namespaces included.

#include "protocol/feed/item/item_xml.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <libxml/parser.h>
#include <memory>

#include "protocol/feed/parse.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/source_folder.hpp"

using namespace sluice;

namespace {

void ignore_error(void*, const char*, ...) {}

bool libxml2_accepts(const std::string& xml) {
    const std::unique_ptr<xmlParserCtxt, decltype(&xmlFreeParserCtxt)> context(xmlNewParserCtxt(), xmlFreeParserCtxt);
    xmlSetGenericErrorFunc(nullptr, ignore_error);
    xmlFreeDoc(xmlCtxtReadMemory(context.get(), xml.data(), static_cast<int>(xml.size()), nullptr, nullptr,
                                 XML_PARSE_NONET | XML_PARSE_HUGE));
    xmlSetGenericErrorFunc(nullptr, nullptr);
    return context->wellFormed == 1 && context->nsWellFormed == 1;
}

}  // namespace

TEST_CASE("libxml2 accepts the items of real feeds as XML that stands alone") {
    CHECK_FALSE(libxml2_accepts("<a><p:b/></a>"));
    CHECK_FALSE(libxml2_accepts("<a>&nbsp;</a>"));
    const auto folder = sluice::testing::shared_folder("feeds");
    if (!std::filesystem::exists(folder)) {
        sluice::testing::skip("there is no folder ../shared/feeds");
        return;
    }
    std::size_t items = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        INFO(file.path().filename());
        std::ifstream in(file.path(), std::ios::binary);
        feed::DocumentOptions options;
        options.repair = feed::RepairMode::lenient;
        const auto document = feed::parse_document({std::istreambuf_iterator<char>(in), {}}, options);
        REQUIRE(document.has_value());
        for (std::size_t i = 0; i < (*document)->items().size(); ++i) {
            const std::string xml = feed::item_xml({*document, i, std::make_shared<const std::string>("s"), i + 1});
            INFO(xml);
            CHECK(libxml2_accepts(xml));
            ++items;
        }
    }
    CHECK(items > 0);
}
