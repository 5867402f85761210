#include "tests/differential/oracle.hpp"

#include <algorithm>
#include <stdexcept>

#include "protocol/feed/extractor.hpp"
#include "protocol/feed/scanned_leaves.hpp"

namespace sluice {

namespace {

std::vector<pugi::xml_node> select_elements(const pugi::xml_document& tree, const std::string& path) {
    std::vector<pugi::xml_node> elements;
    for (const pugi::xpath_node& node : tree.select_nodes(path.c_str())) elements.push_back(node.node());
    return elements;
}

std::vector<Event> events_of(std::span<const OracleDocument> documents) {
    const auto stream = std::make_shared<const std::string>("oracle");
    std::vector<Event> events;
    for (const OracleDocument& document : documents) {
        for (std::size_t i = 0; i < document.items.size(); ++i) {
            events.push_back({document.ours, i, stream, events.size() + 1});
        }
    }
    return events;
}

// A filter with a piece taken away can have changed its form, which is then not what it says.
bool has_its_form(const RandomFilter& filter) {
    const pugi::xpath_query query(filter.text.c_str());
    const bool starts_at_root = filter.text[filter.text.find_first_not_of("( \n\t")] == '/';
    return filter.selects == (query.return_type() == pugi::xpath_type_node_set && starts_at_root);
}

}  // namespace

OracleDocument make_oracle_document(const RandomDocument& document) {
    auto ours = parse_document(document.published, {});
    if (!ours) throw std::runtime_error("refused by us: " + ours.error().message);
    auto theirs = std::make_shared<pugi::xml_document>();
    const auto parsed = theirs->load_string(document.expected.c_str(), feed_parse_flags);
    if (!parsed) throw std::runtime_error(std::string("refused by pugixml: ") + parsed.description());
    OracleDocument result{*ours, theirs, select_elements(*theirs, document.items)};
    if (result.items.size() != (*ours)->items().size()) throw std::runtime_error("the events are not the same");
    return result;
}

OracleDocument make_oracle_document(const DocumentPtr& document) {
    std::vector<pugi::xml_node> items;
    for (const Item& item : document->items()) items.push_back(item.element);
    const std::shared_ptr<const pugi::xml_document> tree(document, &document->tree());
    return {document, tree, items};
}

Answers their_answers(const RandomFilter& filter, std::span<const OracleDocument> documents) {
    const pugi::xpath_query query(filter.text.c_str());
    Answers answers;
    for (const OracleDocument& document : documents) {
        pugi::xpath_node_set selected;
        if (filter.selects) selected = query.evaluate_node_set(*document.theirs);
        for (const pugi::xml_node item : document.items) {
            const bool is_in = std::find(selected.begin(), selected.end(), pugi::xpath_node(item)) != selected.end();
            answers.push_back(filter.selects ? is_in : query.evaluate_boolean(item));
        }
    }
    return answers;
}

std::vector<Answers> OurSide::answers(std::span<const OracleDocument> documents) {
    const std::vector<Event> events = events_of(documents);
    std::vector<Answers> answers(ids_.size(), Answers(events.size(), false));
    std::vector<std::size_t> filter_of_slot;
    for (std::size_t filter = 0; filter < ids_.size(); ++filter) {
        if (filter_of_slot.size() <= ids_[filter].slot) filter_of_slot.resize(ids_[filter].slot + 1);
        filter_of_slot[ids_[filter].slot] = filter;
    }

    const std::shared_ptr<const Program> program = set_->compile();
    const Extractor extractor(program->attributes()->names);
    ScannedLeaves leaves;
    leaves.assign(program->scanned()->names);
    EventBatch batch;
    TextArena arena;
    for (const Event& event : events) extractor.extract(event, batch, arena);
    batch.scan = [&](std::uint32_t leaf, std::uint32_t event) { return leaves.holds(leaf, events[event]); };

    std::vector<Match> matches;
    program->match(batch, matches);
    for (const Match& match : matches) {
        const std::size_t filter = filter_of_slot.at(match.subscription.slot);
        if (!(ids_[filter] == match.subscription)) throw std::runtime_error("a match of a removed subscription");
        for (std::size_t bit = 0; bit < 32; ++bit) {
            if (match.accepted >> bit & 1) answers[filter].at(match.word * 32 + bit) = true;
        }
    }
    return answers;
}

std::optional<std::string> disagreement(const RandomFilter& filter, const RandomDocument& document) {
    std::vector<OracleDocument> documents;
    Answers theirs;
    try {
        documents.push_back(make_oracle_document(document));
        theirs = their_answers(filter, documents);
        if (!has_its_form(filter)) return std::nullopt;
    } catch (const std::exception&) {
        return std::nullopt;
    }
    const auto compiled = compile_filter(filter.text);
    if (!compiled) return "refused: " + compiled.error().message;
    for (const Backend backend : {Backend::cpu, Backend::naive}) {
        OurSide ours(backend);
        ours.add(compiled->conjunctions);
        const Answers answers = ours.answers(documents)[0];
        if (answers == theirs) continue;
        const auto differs = std::mismatch(answers.begin(), answers.end(), theirs.begin());
        return "event " + std::to_string(differs.first - answers.begin()) + ": ours is " +
               (*differs.first ? "true" : "false") + (backend == Backend::cpu ? " (cpu)" : " (naive)") +
               ", canonical form: " + compiled->canonical;
    }
    return std::nullopt;
}

}  // namespace sluice
