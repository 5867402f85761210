// Random feeds: RSS, RDF, Atom, other XML and JSON Feeds, with everything that the filter language can distinguish.
#pragma once

#include <string>

#include "tests/differential/random.hpp"

namespace sluice {

// The texts of the vocabulary that a document may use: one oracle counts bytes, the other reads exponents in numbers.
struct DocumentStyle {
    bool ascii = false;
    bool plain_numbers = false;  // no exponents, and no more digits than a sloppy parser gets right
};

struct RandomDocument {
    std::string published;  // with whatever prefixes the feed happens to use
    std::string expected;   // the same as XML with the customary prefixes, as an oracle may read it
    std::string items;      // XPath of the event elements
    DocumentStyle style = {};
    bool is_json = false;
};

RandomDocument random_document(Random& random, const DocumentStyle& style = {});
RandomDocument random_json_document(Random& random, const DocumentStyle& style = {});

}  // namespace sluice
