// Both sides of the oracle: the answers of our filters, extraction and engine, and those of pugixml and libxml2, each
// of which parses the document independently.
#pragma once

#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <span>
#include <string>
#include <vector>

#include "gpu/api/matcher.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/differential/libxml2_oracle.hpp"
#include "tests/differential/random_document.hpp"
#include "tests/differential/random_filter.hpp"

namespace sluice {

// A document as all sides see it. items[i] is the element in pugixml's tree that our event i must be.
struct OracleDocument {
    feed::DocumentPtr ours;
    std::shared_ptr<const pugi::xml_document> tree;
    std::vector<pugi::xml_node> items;
    std::shared_ptr<const Libxml2Document> libxml2;
    DocumentStyle style;
};

// Parsed by us and by libxml2 as published, by pugixml as expected. Throws if one of them refuses it.
OracleDocument make_oracle_document(const RandomDocument& document);

// Sets the items to elements of a copy of our own tree, where no other side has one.
void copy_tree(OracleDocument& document);

using Answers = std::vector<bool>;  // by event, of all documents in their order

// An evaluator that can answer a filter on a document: pugixml counts bytes, libxml2 reads exponents.
enum class Oracle : std::uint8_t { pugixml, libxml2 };
bool knows(Oracle oracle, const RandomFilter& filter);
bool knows(Oracle oracle, const OracleDocument& document);

// The answers by event of the document. Throws if the filter is not XPath.
Answers answers_of(Oracle oracle, const RandomFilter& filter, const OracleDocument& document);

// A set of subscriptions, and its answers for all events, matched together in batches.
class OurSide {
public:
    explicit OurSide(engine::Backend backend) : set_(engine::make_subscription_set(backend)) {}

    void add(const engine::Disjunction& filter) { ids_.push_back(set_->add(filter)); }
    bool remove(std::size_t filter) { return set_->remove(ids_[filter]); }
    void add_again(std::size_t filter, const engine::Disjunction& disjunction) {
        ids_[filter] = set_->add(disjunction);
    }

    // By filter, in the order of the first add().
    std::vector<Answers> answers(std::span<const OracleDocument> documents);

private:
    std::unique_ptr<engine::SubscriptionSet> set_;
    std::vector<engine::SubscriptionId> ids_;
};

// One filter on one document, alone: the disagreement, or nothing. A filter or document that a side refuses is no
// disagreement.
std::optional<std::string> disagreement(Oracle oracle, const RandomFilter& filter, const RandomDocument& document);

}  // namespace sluice
