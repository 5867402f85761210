#include "broker/delivery/annotator.hpp"

#include <algorithm>
#include <new>
#include <optional>

#include "protocol/feed/json_text.hpp"

namespace sluice {

namespace {

using alignment::Alignment;
using alignment::Code;
using alignment::Mode;

bool is_alignment(const Leaf& leaf) {
    return leaf.predicate.measure && family_of(leaf.predicate.measure->kind) == OperatorFamilyKind::alignment;
}

// A sequence may be long, and what it is compared with stands behind it.
std::string elided(const std::string& text) {
    std::size_t head = 120, tail = 60;
    if (text.size() <= head + tail) return text;
    const auto splits_character = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
    while (head > 0 && splits_character(head)) --head;
    while (tail > 0 && splits_character(text.size() - tail)) --tail;
    return text.substr(0, head) + "…" + text.substr(text.size() - tail);
}

void write_alignment(JsonWriter& json, const Alignment& alignment, std::size_t value) {
    const auto member = [&](const char* name, std::int64_t number) {
        json.name(name);
        json.literal(std::to_string(number));
    };
    member("value", static_cast<std::int64_t>(value));
    member("score", alignment.score);
    if (!alignment.runs.empty()) {
        member("query_start", std::int64_t{alignment.query_begin} + 1);
        member("query_end", alignment.query_end);
        member("text_start", std::int64_t{alignment.text_begin} + 1);
        member("text_end", alignment.text_end);
    }
    json.name("cigar");
    json.string(alignment.cigar());
}

std::string omission(const std::string& reason) {
    std::string members;
    JsonWriter json(members);
    json.name("omitted");
    json.string(reason);
    return members;
}

std::vector<std::string> attributes_of(const std::vector<std::vector<Leaf>>& leaves) {
    std::vector<std::string> names;
    for (const auto& of_filter : leaves) {
        for (const Leaf& leaf : of_filter) {
            if (is_alignment(leaf)) names.push_back(leaf.predicate.attribute);
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

}  // namespace

Annotator::Annotator(const std::vector<std::vector<Leaf>>& leaves, std::uint64_t cells_max)
    : attributes_(attributes_of(leaves)), extractor_(attributes_), cells_max_(cells_max) {
    for (std::uint32_t filter = 0; filter < leaves.size(); ++filter) {
        for (const Leaf& leaf : leaves[filter]) {
            if (!is_alignment(leaf)) continue;
            const Predicate& p = leaf.predicate;
            const auto bounds = bounds_of(p.op, p.number);
            if (!bounds) continue;
            const auto name = std::lower_bound(attributes_.begin(), attributes_.end(), p.attribute);
            const alignment::Scheme scheme = alignment::parse_scheme(p.measure->scheme).scheme;
            conditions_.push_back({filter, leaf.text, static_cast<std::uint32_t>(name - attributes_.begin()), scheme,
                                   p.measure->kind == Measure::Kind::align ? Mode::local : Mode::global,
                                   scheme.encode(p.measure->operand), *bounds});
        }
    }
}

// The condition's best alignment with one of the texts that it holds for.
std::string Annotator::find(const Condition& condition, const std::vector<std::vector<Code>>& texts) {
    const auto& [filter, leaf, attribute, scheme, mode, query, bounds] = condition;
    std::optional<alignment::EndPoint> best;
    std::size_t best_text = 0;
    for (std::size_t t = 0; t < texts.size(); ++t) {
        if (too_long(scheme, query.size(), texts[t].size())) continue;
        const alignment::EndPoint end = align_on_core(scheme, mode, query, texts[t]);
        if (!bounds.accept(end.score) || (best && end.score <= best->score)) continue;
        best = end;
        best_text = t;
    }
    std::string members;
    JsonWriter json(members);
    if (best) write_alignment(json, trace(scheme, mode, query, texts[best_text], *best), best_text);
    return members;
}

std::string Annotator::members_of(const Condition& condition, std::span<const Value> values, std::size_t event,
                                  std::uint64_t& cells_left, FoundAlignments& batch) const {
    const auto too_many = [&](const std::string& whose, const std::string& limit) {
        return omission("the alignments of " + whose + " would have more cells (letters times letters) than " + limit +
                        "limits.alignment_cells, " + std::to_string(cells_max_));
    };
    const std::string one_event = "one event";
    std::vector<std::vector<Code>> texts;
    std::uint64_t cells = 0;
    const auto encode = [&] {
        for (const Value& value : values) {
            if (value.attribute != condition.attribute) continue;
            texts.push_back(condition.scheme.encode(value.text));
            cells += std::uint64_t{condition.query.size()} * texts.back().size();
        }
    };
    const std::pair<std::size_t, std::string_view> key(event, condition.leaf);
    auto known = batch.found.find(key);
    const bool is_new = known == batch.found.end();
    if (is_new) {
        encode();
        known = batch.found.emplace(key, FoundAlignments::Found{cells, {}}).first;
    }
    FoundAlignments::Found& found = known->second;
    if (found.cells > cells_left) return too_many(one_event, "");
    if (!found.members) {
        if (batch.cells + found.cells > batch_share * cells_max_)
            return too_many("one batch, for all subscribers,", std::to_string(batch_share) + " times ");
        batch.cells += found.cells;
        if (!is_new) encode();
        found.members = find(condition, texts);
    }
    cells_left -= found.cells;
    return *found.members;
}

std::string Annotator::alignments(const Event& event, std::size_t e, std::span<const std::uint32_t> filters,
                                  FoundAlignments& found) const {
    std::string text = "[";
    EventBatch batch;
    TextArena arena;
    extractor_.extract(event, batch, arena);
    std::uint64_t cells_left = cells_max_;
    for (const Condition& condition : conditions_) {
        if (!std::binary_search(filters.begin(), filters.end(), condition.filter)) continue;
        std::string members;
        try {
            members = members_of(condition, batch.event(0), e, cells_left, found);
        } catch (const std::bad_alloc&) {
            members = omission("not enough memory");
        }
        if (members.empty()) continue;
        JsonWriter json(text);
        json.open('{');
        json.name("filter");
        json.literal(std::to_string(condition.filter));
        json.name("leaf");
        json.string(elided(condition.leaf));
        text += ',' + members + '}';
    }
    return text + ']';
}

}  // namespace sluice
