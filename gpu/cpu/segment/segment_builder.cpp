#include "gpu/cpu/segment/segment_builder.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "gpu/check/check.hpp"
#include "gpu/tables/term.hpp"

namespace sluice::cpu {

namespace {

// Translates literal codes of one segment's tables into another's, looking up each predicate once.
class Translation {
public:
    Translation(const engine::PredicateTables& from, engine::PredicateTables& to, const SegmentBuilder::Rename& rename)
        : from_(from), to_(to), rename_(rename) {}

    std::uint32_t operator()(std::uint32_t bits) {
        const engine::LiteralCode code(bits);
        auto& known = known_[static_cast<std::size_t>(code.family())];
        if (code.index() >= known.size()) known.resize(code.index() + 1, engine::none);
        std::uint32_t& translated = known[code.index()];
        if (translated == engine::none) {
            const std::uint32_t name = from_.name(code);
            const engine::Term term = from_.term(code.positive());
            translated = to_.intern(term, rename_ ? rename_(code.family(), name) : name).bits();
        }
        return translated | (code.negated() ? 1u : 0u);
    }

private:
    const engine::PredicateTables& from_;
    engine::PredicateTables& to_;
    const SegmentBuilder::Rename& rename_;
    std::array<std::vector<std::uint32_t>, engine::families> known_;
};

}  // namespace

std::uint32_t SegmentBuilder::add(engine::SubscriptionId id, const engine::NormalForm& filter,
                                  engine::NameTable& attributes, engine::NameTable& scanned) {
    codes_.clear();
    for (const engine::Term& term : filter.terms) {
        const std::uint32_t name = term.family == engine::Family::scanned ? scanned.intern(term.name, *term.condition)
                                                                          : attributes.intern(term.name);
        codes_.push_back(segment_->tables_.intern(term, name).bits());
    }
    conjunctions_.resize(filter.conjunctions.size());
    for (std::size_t i = 0; i < filter.conjunctions.size(); ++i) {
        conjunctions_[i].clear();
        for (const engine::Literal& literal : filter.conjunctions[i]) {
            SLUICE_CHECK(literal.predicate < codes_.size());
            conjunctions_[i].push_back(codes_[literal.predicate] | (literal.negated ? 1u : 0u));
        }
    }
    entries_.push_back({id, forms_.intern(conjunctions_)});
    return static_cast<std::uint32_t>(entries_.size() - 1);
}

void SegmentBuilder::drop(std::uint32_t number) {
    SLUICE_CHECK(number < entries_.size() && entries_[number].form != dropped_form);
    entries_[number].form = dropped_form;
    ++dropped_;
}

engine::SegmentLoad SegmentBuilder::load() const {
    engine::SegmentLoad load = segment_->tables_.load();
    load.record_words = forms_.record_words();
    load.entries = entries_.size();
    return load;
}

void SegmentBuilder::absorb(const Segment& other, const Bitmap* removed, const Rename& rename) {
    const auto is_live = [&](std::uint32_t entry) { return removed == nullptr || !removed->test(entry); };
    Translation translate(other.tables(), segment_->tables_, rename);
    std::vector<std::uint32_t> form_of(other.size(), engine::none), codes;
    std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> group_rows;
    std::vector<bool> live_group(other.groups());
    for (std::uint32_t g = 0; g < other.groups(); ++g)
        live_group[g] = std::any_of(other.group(g).begin(), other.group(g).end(), is_live);
    other.for_each_row([&](RowTarget target, std::span<const std::uint32_t> row) {
        if (target.is_group() ? !live_group[target.index()] : !is_live(target.index())) return;
        codes.clear();
        for (const std::uint32_t code : row) codes.push_back(translate(code));
        if (target.is_group())
            group_rows.emplace_back(target.index(), codes);
        else
            form_of[target.index()] = forms_.intern(codes);
    });
    std::stable_sort(group_rows.begin(), group_rows.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < group_rows.size();) {
        const std::uint32_t group = group_rows[i].first;
        conjunctions_.clear();
        for (; i < group_rows.size() && group_rows[i].first == group; ++i)
            conjunctions_.push_back(std::move(group_rows[i].second));
        const std::uint32_t form = forms_.intern(conjunctions_);
        for (const std::uint32_t entry : other.group(group)) form_of[entry] = form;
    }
    for (std::uint32_t entry = 0; entry < other.size(); ++entry) {
        if (!is_live(entry)) continue;
        conjunctions_.clear();
        entries_.push_back(
            {other.entry(entry), form_of[entry] != engine::none ? form_of[entry] : forms_.intern(conjunctions_)});
    }
}

// Of an earlier build() that failed, only the tables are used again.
void SegmentBuilder::begin_segment() {
    auto segment = std::make_unique<Segment>();
    segment->tables_ = std::move(segment_->tables_);
    segment_ = std::move(segment);
}

void SegmentBuilder::sort_entries() {
    std::erase_if(entries_, [](const Entry& e) { return e.form == dropped_form; });
    dropped_ = 0;
    const auto by_slot = [](const Entry& a, const Entry& b) { return a.id.slot < b.id.slot; };
    if (!std::is_sorted(entries_.begin(), entries_.end(), by_slot))
        std::sort(entries_.begin(), entries_.end(), by_slot);
    segment_->entries_.reserve(entries_.size());
    for (const Entry& e : entries_) segment_->entries_.push_back(e.id);
}

// By form: the entry, if the form is one conjunction used by one entry; a group otherwise; none if nobody uses the
// form.
std::vector<RowTarget> SegmentBuilder::assign_targets() {
    std::vector<std::uint32_t> users(forms_.size()), group_of(forms_.size(), engine::none);
    for (const Entry& e : entries_) ++users[e.form];
    std::vector<RowTarget> targets(forms_.size(), RowTarget(engine::none));
    auto& ends = segment_->group_ends_;
    for (std::uint32_t form = 0; form < forms_.size(); ++form) {
        if (users[form] == 0 || forms_.conjunctions(form) == 0) continue;
        if (users[form] == 1 && forms_.conjunctions(form) == 1) continue;
        group_of[form] = static_cast<std::uint32_t>(ends.size() - 1);
        targets[form] = RowTarget::group(group_of[form]);
        ends.push_back(ends.back() + users[form]);
    }
    segment_->group_entries_.resize(ends.back());
    std::vector<std::uint32_t> next(ends.begin(), ends.end() - 1);
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
        const std::uint32_t form = entries_[i].form;
        if (group_of[form] != engine::none)
            segment_->group_entries_[next[group_of[form]]++] = i;
        else
            targets[form] = RowTarget::entry(i);
    }
    for (std::uint32_t group = 0; group + 1 < ends.size(); ++group) SLUICE_CHECK(next[group] == ends[group + 1]);
    ends.shrink_to_fit();
    return targets;
}

void SegmentBuilder::place_rows(const std::vector<RowTarget>& targets, const ObservedShares* observed) {
    const engine::PredicateTables& tables = segment_->tables_;
    AccessChooser chooser(tables, observed);
    const auto each_row = [&](auto visit) {
        for (std::uint32_t form = 0; form < forms_.size(); ++form) {
            if (targets[form].bits() == engine::none) continue;
            forms_.for_each(form, [&](std::span<const std::uint32_t> codes) { visit(targets[form].bits(), codes); });
        }
    };
    each_row([&](std::uint32_t, std::span<const std::uint32_t> codes) { chooser.count(codes); });
    chooser.end_count();
    segment_->access_.expect(chooser.counted(), chooser.triples());
    each_row([&](std::uint32_t target, std::span<const std::uint32_t> codes) {
        const AccessChoice choice = chooser.choose(codes);
        if (choice.tokens == 0)
            segment_->clusters_.add(target, choice, codes);
        else
            segment_->access_.add(tables, target, choice, codes);
    });
    segment_->load_ = load();
    segment_->access_.build();
    segment_->clusters_.build(tables);
}

std::shared_ptr<const Segment> SegmentBuilder::build(std::span<const SampledEvent> events,
                                                     const std::shared_ptr<operators::OperatorDevices>& devices) {
    begin_segment();
    sort_entries();
    if (const std::string excess = engine::SegmentLimits{}.excess(load()); !excess.empty())
        throw engine::LimitError("a segment would have " + excess);
    segment_->tables_.freeze(devices);
    std::optional<ObservedShares> observed;
    if (!events.empty()) observed.emplace(segment_->tables_, events);
    place_rows(assign_targets(), observed ? &*observed : nullptr);
    // The rows that these events find now: finding many more later means that the events have changed.
    if (observed) segment_->rows_expected_ = segment_->rows_found(events);
    std::shared_ptr<Segment> made(std::move(segment_));
    made->tables_.seal();
    return made;
}

}  // namespace sluice::cpu
