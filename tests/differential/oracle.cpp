#include "tests/differential/oracle.hpp"

#include <algorithm>
#include <stdexcept>

#include "protocol/feed/parse.hpp"
#include "protocol/feed/values/extractor.hpp"
#include "protocol/feed/values/scanned_leaves.hpp"
#include "protocol/filter/syntax/fault.hpp"
#include "tests/support/oracle_limits.hpp"
#include "tests/support/pugi_copy.hpp"

namespace sluice {

namespace {

std::vector<pugi::xml_node> select_elements(const pugi::xml_document& tree, const std::string& path) {
    std::vector<pugi::xml_node> elements;
    for (const pugi::xpath_node& node : tree.select_nodes(path.c_str())) elements.push_back(node.node());
    return elements;
}

std::vector<feed::Event> events_of(std::span<const OracleDocument> documents) {
    const auto stream = std::make_shared<const std::string>("oracle");
    std::vector<feed::Event> events;
    for (const OracleDocument& document : documents) {
        for (std::size_t i = 0; i < document.items.size(); ++i) {
            events.push_back({document.ours, i, stream, events.size() + 1});
        }
    }
    return events;
}

bool is_text(pugi::xml_node node) { return node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata; }

// XPath's data model has neither adjacent nor empty text nodes; pugixml has both.
void join_texts(pugi::xml_node parent) {
    for (pugi::xml_node child = parent.first_child(); child;) {
        const pugi::xml_node next = child.next_sibling();
        join_texts(child);
        if (is_text(child) && *child.value() == '\0') {
            parent.remove_child(child);
        } else if (is_text(child) && is_text(next)) {
            const std::string joined = std::string(child.value()) + next.value();
            pugi::xml_node(next).set_value(joined.c_str());
            parent.remove_child(child);
        }
        child = next;
    }
}

// Removing a piece of a filter can change its form, which then contradicts RandomFilter::selects.
bool has_its_form(const RandomFilter& filter) {
    const pugi::xpath_query query(filter.text.c_str());
    const bool starts_at_root = filter.text[filter.text.find_first_not_of("( \n\t")] == '/';
    return filter.selects == (query.return_type() == pugi::xpath_type_node_set && starts_at_root);
}

}  // namespace

OracleDocument make_oracle_document(const RandomDocument& document) {
    auto ours = feed::parse_document(document.published, {});
    if (!ours) throw std::runtime_error("refused by us: " + ours.error().message);
    auto theirs = std::make_shared<pugi::xml_document>();
    // All that are nodes in XPath, and no more: a declaration is none.
    const unsigned nodes = pugi::parse_default | pugi::parse_pi | pugi::parse_comments | pugi::parse_ws_pcdata;
    const auto parsed = theirs->load_string(document.expected.c_str(), nodes);
    if (!parsed) throw std::runtime_error(std::string("refused by pugixml: ") + parsed.description());
    join_texts(*theirs);
    const std::string& xml = document.is_json ? document.expected : document.published;
    OracleDocument result{*ours, theirs, select_elements(*theirs, document.items),
                          std::make_shared<Libxml2Document>(xml, document.items), document.style};
    const std::size_t items = (*ours)->items().size();
    if (result.items.size() != items || result.libxml2->items().size() != items)
        throw std::runtime_error("the events are not the same");
    return result;
}

void copy_tree(OracleDocument& document) {
    const auto copy = std::make_shared<const PugiCopy>(*document.ours);
    document.tree = {copy, &copy->tree()};
    document.items = copy->items();
}

bool knows(Oracle oracle, const RandomFilter& filter) {
    return oracle == Oracle::pugixml ? !pugixml_differs(filter.text) : !libxml2_differs(filter.text);
}

bool knows(Oracle oracle, const OracleDocument& document) {
    return oracle == Oracle::pugixml ? document.style.ascii : document.style.plain_numbers;
}

Answers answers_of(Oracle oracle, const RandomFilter& filter, const OracleDocument& document) {
    if (oracle == Oracle::libxml2) return document.libxml2->answers(filter.text, filter.selects);
    const pugi::xpath_query query(filter.text.c_str());
    Answers answers;
    pugi::xpath_node_set selected;
    if (filter.selects) selected = query.evaluate_node_set(*document.tree);
    for (const pugi::xml_node item : document.items) {
        const bool is_in = std::find(selected.begin(), selected.end(), pugi::xpath_node(item)) != selected.end();
        answers.push_back(filter.selects ? is_in : query.evaluate_boolean(item));
    }
    return answers;
}

std::vector<Answers> OurSide::answers(std::span<const OracleDocument> documents) {
    const std::vector<feed::Event> events = events_of(documents);
    std::vector<Answers> answers(ids_.size(), Answers(events.size(), false));
    std::vector<std::size_t> filter_of_slot;
    for (std::size_t filter = 0; filter < ids_.size(); ++filter) {
        if (filter_of_slot.size() <= ids_[filter].slot) filter_of_slot.resize(ids_[filter].slot + 1);
        filter_of_slot[ids_[filter].slot] = filter;
    }

    const std::shared_ptr<const engine::Program> program = set_->compile();
    const feed::Extractor extractor(program->attributes()->names);
    feed::ScannedLeaves leaves;
    leaves.assign(program->scanned()->conditions);
    engine::EventBatch batch;
    feed::TextArena arena;
    feed::ValueGroups groups;
    for (const feed::Event& event : events) extractor.extract(event, batch, arena, groups);
    batch.scan = [&](std::uint32_t leaf, std::uint32_t event) { return leaves.holds(leaf, events[event]); };

    std::vector<engine::Match> matches;
    program->match(batch, matches);
    for (const engine::Match& match : matches) {
        const std::size_t filter = filter_of_slot.at(match.subscription.slot);
        if (!(ids_[filter] == match.subscription)) throw std::runtime_error("a match of a removed subscription");
        for (std::size_t bit = 0; bit < 32; ++bit) {
            if (match.accepted >> bit & 1) answers[filter].at(match.word * 32 + bit) = true;
        }
    }
    return answers;
}

std::optional<std::string> disagreement(Oracle oracle, const RandomFilter& filter, const RandomDocument& document) {
    std::vector<OracleDocument> documents;
    Answers theirs;
    try {
        documents.push_back(make_oracle_document(document));
        if (!has_its_form(filter) || !knows(oracle, filter) || !knows(oracle, documents[0])) return std::nullopt;
        theirs = answers_of(oracle, filter, documents[0]);
    } catch (const std::exception&) {
        return std::nullopt;
    } catch (const filter::Fault&) {
        return std::nullopt;
    }
    const auto compiled = filter::compile_filter(filter.text);
    if (!compiled) return "refused: " + compiled.error().message;
    for (const engine::Backend backend : {engine::Backend::cpu, engine::Backend::naive}) {
        OurSide ours(backend);
        ours.add(compiled->disjunction);
        const Answers answers = ours.answers(documents)[0];
        if (answers == theirs) continue;
        const auto differs = std::mismatch(answers.begin(), answers.end(), theirs.begin());
        return "event " + std::to_string(differs.first - answers.begin()) + ": ours is " +
               (*differs.first ? "true" : "false") + (backend == engine::Backend::cpu ? " (cpu)" : " (naive)") +
               (oracle == Oracle::libxml2 ? ", not as libxml2" : ", not as pugixml") +
               ", canonical form: " + compiled->canonical;
    }
    return std::nullopt;
}

}  // namespace sluice
