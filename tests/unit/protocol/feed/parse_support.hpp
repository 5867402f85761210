// Shared by the tests of feeds.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/parse.hpp"
#include "tests/support/pugi_copy.hpp"

namespace sluice::feed {

inline DocumentPtr parsed(std::string text, const DocumentOptions& options = {}) {
    auto document = parse_document(std::move(text), options);
    if (!document) FAIL(document.error().message << " at " << document.error().line << ":" << document.error().column);
    return *document;
}

inline FeedError refused(std::string text, const DocumentOptions& options = {}) {
    const auto document = parse_document(std::move(text), options);
    REQUIRE(document.has_error());
    return document.error();
}

inline std::string text_at(const DocumentPtr& document, const char* path) {
    return PugiCopy(*document).tree().select_node(path).node().text().get();
}

inline std::vector<std::string> sources(const DocumentPtr& document) {
    std::vector<std::string> sources;
    for (const Item& item : document->items()) sources.emplace_back(item.source);
    return sources;
}

}  // namespace sluice::feed
