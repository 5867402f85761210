// Random feeds: RSS, RDF, Atom, other XML and JSON Feeds, with everything in them that the language of filters can tell
// apart.
#pragma once

#include <string>

#include "tests/differential/random.hpp"

namespace sluice {

struct RandomDocument {
    std::string published;  // with whatever prefixes the feed happens to use
    std::string expected;   // the same with the customary ones, and as XML: what pugixml is to read
    std::string items;      // XPath of the event elements
};

RandomDocument random_document(Random& random);
RandomDocument random_json_document(Random& random);

}  // namespace sluice
