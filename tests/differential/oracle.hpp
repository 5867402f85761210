// Both sides of the oracle: what our filters, extraction and engine answer, and what pugixml's XPath says.
#pragma once

#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <span>
#include <string>
#include <vector>

#include "gpu/matcher.hpp"
#include "protocol/feed/document.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/differential/random_document.hpp"
#include "tests/differential/random_filter.hpp"

namespace sluice {

// A document as both sides see it. items[i] is the element in `theirs` that our event i must be.
struct OracleDocument {
    DocumentPtr ours;
    std::shared_ptr<const pugi::xml_document> theirs;
    std::vector<pugi::xml_node> items;
};

// Parsed by us as published, and by pugixml as expected. Throws where either refuses it.
OracleDocument make_oracle_document(const RandomDocument& document);
// The other side's tree is ours too, so only filters are put to the test.
OracleDocument make_oracle_document(const DocumentPtr& document);

using Answers = std::vector<bool>;  // by event, of all documents in their order

// pugixml's answers. Throws pugi::xpath_exception for what is no XPath.
Answers their_answers(const RandomFilter& filter, std::span<const OracleDocument> documents);

// A set of subscriptions, and its answers for all events, matched together in batches.
class OurSide {
public:
    explicit OurSide(Backend backend) : set_(make_subscription_set(backend)) {}

    void add(const Disjunction& filter) { ids_.push_back(set_->add(filter)); }
    bool remove(std::size_t filter) { return set_->remove(ids_[filter]); }
    void add_again(std::size_t filter, const Disjunction& disjunction) { ids_[filter] = set_->add(disjunction); }

    // By filter, in the order of the first add().
    std::vector<Answers> answers(std::span<const OracleDocument> documents);

private:
    std::unique_ptr<SubscriptionSet> set_;
    std::vector<SubscriptionId> ids_;
};

// One filter on one document, alone: what is wrong, or nothing. A filter or document that a side refuses is not wrong.
std::optional<std::string> disagreement(const RandomFilter& filter, const RandomDocument& document);

}  // namespace sluice
