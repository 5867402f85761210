#include "tests/differential/matcher_random.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "gpu/tables/term.hpp"

namespace sluice::test {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string huge(std::size_t size, char last) {
    std::string text(size, 'a');
    text.back() = last;
    return text;
}

// Texts that contain, start and end one another.
const std::vector<std::string>& texts() {
    static const std::vector<std::string> all = {"",
                                                 "a",
                                                 "b",
                                                 "ab",
                                                 "abc",
                                                 "bc",
                                                 "c",
                                                 "aba",
                                                 "abab",
                                                 "ba",
                                                 "aa",
                                                 "aaa",
                                                 "é",
                                                 "éa",
                                                 "aé",
                                                 "\xc3",
                                                 "日本",
                                                 "日",
                                                 "本",
                                                 "日本語",
                                                 "\xff",
                                                 " a ",
                                                 "A",
                                                 "cab",
                                                 "xyz",
                                                 "abcabc",
                                                 "0",
                                                 huge(64, 'a'),
                                                 huge(65, 'a'),
                                                 huge(65, 'b'),
                                                 "1",
                                                 "-0.0",
                                                 "NaN",
                                                 "b b",
                                                 "a b",
                                                 "a\nb",
                                                 "\x01\x02",
                                                 huge(300, 'b'),
                                                 huge(5000, 'z'),
                                                 huge(5000, 'a'),
                                                 "acgtacgtta",
                                                 "TTTACGATTACAGGT",
                                                 "MKVLAA",
                                                 "1 1 2 1 1 2 1 1 2",
                                                 "0.5;0.5,0.5",
                                                 "1 2 x"};
    return all;
}

const std::vector<double>& numbers() {
    static const std::vector<double> all = {0.0,  -0.0,      1.0,       nan,    infinity, -infinity, 2.0,    3.0,
                                            -1.0, 4.9e-324,  -4.9e-324, 1.5,    100.0,    1e308,     -1e308, 0.1,
                                            2.5,  1.0000001, 99.0,      1e-300, 7.0,      8.0,       9.0,    10.0};
    return all;
}

std::string attribute(const World& world, Random& random) {
    return "attribute" + std::to_string(random.below(world.attributes));
}

// Used instead of Catch's REQUIRE, which works on one thread only.
void expect(bool condition) {
    if (!condition) throw std::logic_error("a program broke the contract of matcher.hpp");
}

bool is_empty(const Answers::value_type& answer) {
    return std::all_of(answer.second.begin(), answer.second.end(), [](std::uint32_t word) { return word == 0; });
}

bool are_alike(const engine::Term& a, const engine::Term& b) {
    const bool measured_alike = a.measure == nullptr ? b.measure == nullptr : b.measure && *a.measure == *b.measure;
    return a.family == b.family && a.name == b.name && a.text == b.text && a.lo == b.lo && a.hi == b.hi &&
           a.outside == b.outside && measured_alike;
}

std::size_t scan_answer(const std::string& key, std::uint32_t event) {
    return std::hash<std::string>{}(key) ^ (event * 2654435761u);
}

}  // namespace

std::string random_text(const World& world, Random& random) {
    if (world.texts > texts().size() || random.chance(0.02)) return "t" + std::to_string(random.below(world.texts));
    return texts()[random.below(world.texts)];
}

double random_number(const World& world, Random& random) {
    if (world.numbers > numbers().size()) return static_cast<double>(random.below(world.numbers));
    return numbers()[random.below(world.numbers)];
}

// A measure of any kind that this build has.
engine::Measure random_measure(Random& random) {
    static const std::vector<engine::Measure> all = [] {
        std::vector<engine::Measure> measures;
        for (const char* expression : {"a", "^a", "b$", "^$", "a.*b", "[^a]", "(?i)AB", "日", "\\d+", "(ab)+c?$"})
            measures.push_back({engine::Measure::Kind::matches, expression, "", 0, 0});
        for (const engine::Measure::Kind kind :
             {engine::Measure::Kind::approx_distance, engine::Measure::Kind::edit_distance}) {
            for (const char* pattern : {"a", "abc", "abcabcabc", "日本語", "xyz", "é"}) {
                for (const char* table : {"unit", "typing", "vowels"}) measures.push_back({kind, pattern, table, 0, 0});
            }
        }
        for (const engine::Measure::Kind kind : {engine::Measure::Kind::align, engine::Measure::Kind::align_global}) {
            for (const char* sequence : {"A", "ACGTACG", "GATTACA"}) {
                for (const char* scheme : {"dna:1,-3,-5,-2", "dna:2,-1,-2,-1", "blosum62:-11,-1"})
                    measures.push_back({kind, sequence, scheme, 0, 0});
            }
        }
        for (const double epsilon : {0.1, 1.5}) {
            measures.push_back({engine::Measure::Kind::laminarity, "", "", epsilon, 2});
            measures.push_back({engine::Measure::Kind::determinism, "", "", epsilon, 3});
            measures.push_back({engine::Measure::Kind::recurrence_rate, "", "", epsilon, 0});
        }
        std::erase_if(measures, [](const engine::Measure& m) { return !engine::invalid_reason(m).empty(); });
        return measures;
    }();
    return random.of(all);
}

engine::Predicate random_measured(const World& world, Random& random) {
    constexpr auto first = static_cast<std::size_t>(engine::Operator::number_equal);
    constexpr auto count = static_cast<std::size_t>(engine::Operator::greater_equal) + 1 - first;
    engine::Predicate p;
    p.attribute = attribute(world, random);
    p.op = static_cast<engine::Operator>(first + random.below(count));
    p.number = random.chance(0.1) ? random_number(world, random) : static_cast<double>(random.below(17)) / 4;
    p.measure = random_measure(random);
    return p;
}

engine::Predicate random_predicate(const World& world, Random& random) {
    if (random.chance(world.measured_share)) return random_measured(world, random);
    engine::Predicate p;
    if (random.chance(world.scanned_share)) {
        p.op = engine::Operator::scanned;
        p.attribute = "scanned" + std::to_string(random.below(world.scanned));
        return p;
    }
    p.attribute = attribute(world, random);
    p.op = static_cast<engine::Operator>(random.below(static_cast<std::size_t>(engine::Operator::scanned)));
    if (world.equality_only) p.op = random.chance(0.5) ? engine::Operator::equal : engine::Operator::number_equal;
    if (engine::is_numeric(p.op)) {
        p.number = random_number(world, random);
    } else if (p.op != engine::Operator::exists) {
        p.text = random_text(world, random);
    }
    return p;
}

testing::WrittenFilter random_filter(const World& world, Random& random) {
    testing::WrittenFilter filter(random.chance(0.7) ? 1 : random.below(world.conjunctions_max + 1));
    for (testing::WrittenConjunction& conjunction : filter) {
        const std::size_t literals = random.chance(0.02) ? 0 : 1 + random.below(world.literals_max);
        for (std::size_t i = 0; i < literals; ++i)
            conjunction.push_back({random_predicate(world, random), random.chance(world.negated)});
    }
    return filter;
}

RandomEvent random_event(const World& world, Random& random) {
    RandomEvent event(random.below(world.values_max + 1));
    for (RandomValue& v : event)
        v = {attribute(world, random), random_text(world, random), random_number(world, random)};
    return event;
}

namespace {

using Ids = std::unordered_map<std::string, std::uint32_t>;

Ids ids_of(const engine::Dictionary& attributes) {
    Ids ids;
    for (const std::string& name : attributes.names) ids.emplace(name, ids.size());
    expect(ids.size() == attributes.names.size());
    return ids;
}

void append(const RandomEvent& event, const Ids& ids, std::vector<engine::Value>& values) {
    const auto begin = values.end() - values.begin();
    for (const RandomValue& v : event) {
        if (const auto id = ids.find(v.attribute); id != ids.end()) values.push_back({id->second, v.text, v.number});
    }
    std::stable_sort(values.begin() + begin, values.end(),
                     [](const engine::Value& a, const engine::Value& b) { return a.attribute < b.attribute; });
}

engine::EventBatch make_batch(const engine::Program& program, const std::vector<RandomEvent>& events) {
    const Ids ids = ids_of(*program.attributes());
    engine::EventBatch batch;
    for (const RandomEvent& event : events) {
        append(event, ids, batch.values);
        batch.end_event();
    }
    return batch;
}

}  // namespace

std::size_t RandomGroups::place_of(const std::string& attribute) {
    return static_cast<std::size_t>(attribute.back() - '0') % places;
}

RandomGroups::RandomGroups(const World& world, std::size_t count, std::size_t values_max, Random& random)
    : groups_(count) {
    for (std::size_t g = 0; g < count; ++g) {
        for (std::size_t n = random.of<std::size_t>({0, 1, 2, values_max}); n > 0; --n) {
            RandomValue value{attribute(world, random), random_text(world, random), random_number(world, random)};
            if (place_of(value.attribute) == g % (places - 1)) groups_[g].push_back(std::move(value));
        }
    }
}

RandomGroups::Events RandomGroups::random_events(const World& world, std::size_t count, Random& random) const {
    Events events{std::vector<RandomEvent>(count), std::vector<std::vector<std::size_t>>(count)};
    for (std::size_t e = 0; e < count; ++e) {
        std::vector<bool> is_shared(places);
        for (std::size_t place = 0; place + 1 < places; ++place) {
            const std::size_t g = random.below(groups_.size());
            if (g % (places - 1) != place) continue;
            events.groups[e].push_back(g);
            is_shared[place] = true;
        }
        events.own[e] = random_event(world, random);
        std::erase_if(events.own[e], [&](const RandomValue& v) { return is_shared[place_of(v.attribute)]; });
    }
    return events;
}

std::vector<RandomEvent> RandomGroups::flat(const Events& events) const {
    std::vector<RandomEvent> flat = events.own;
    for (std::size_t e = 0; e < flat.size(); ++e) {
        for (const std::size_t g : events.groups[e])
            flat[e].insert(flat[e].end(), groups_[g].begin(), groups_[g].end());
    }
    return flat;
}

void RandomGroups::learn(const std::shared_ptr<const engine::Dictionary>& attributes) {
    const Ids ids = ids_of(*attributes);
    Known& known = known_.emplace_back(Known{attributes, {}, {}});
    for (const RandomEvent& group : groups_) {
        append(group, ids, known.values.emplace_back());
        known.ids.push_back(engine::ValueGroup::new_id());
    }
}

engine::EventBatch RandomGroups::batch(const engine::Program& program, const Events& events) {
    const auto is_current = [&](const Known& known) { return known.attributes == program.attributes(); };
    if (std::none_of(known_.begin(), known_.end(), is_current)) learn(program.attributes());
    const Known& known = *std::find_if(known_.begin(), known_.end(), is_current);
    engine::EventBatch batch;
    const Ids ids = ids_of(*program.attributes());
    std::unordered_map<std::size_t, std::uint32_t> index;
    for (std::size_t e = 0; e < events.own.size(); ++e) {
        append(events.own[e], ids, batch.values);
        for (const std::size_t g : events.groups[e]) {
            const auto [at, is_new] = index.emplace(g, batch.groups.size());
            if (is_new) batch.groups.push_back({known.ids[g], known.values[g]});
            batch.shares.push_back(at->second);
        }
        batch.end_event();
    }
    return batch;
}

Answers answers(const engine::Program& program, const std::vector<RandomEvent>& events) {
    return answers(program, make_batch(program, events));
}

Answers answers(const engine::Program& program, engine::EventBatch batch) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> asked;
    batch.scan = [&](std::uint32_t scanned, std::uint32_t event) {
        expect(asked.emplace(scanned, event).second);
        expect(event < batch.size());
        const std::size_t answer = scan_answer(program.scanned()->names.at(scanned), event) % 7;
        return answer == 6 ? std::nullopt : std::optional(answer % 3 == 0);
    };
    std::vector<engine::Match> undecided;
    batch.undecided = &undecided;
    std::vector<engine::Match> matches{{{4000000000u, 7}, 0, 1}};  // match() appends
    program.match(batch, matches);
    expect(matches.front() == engine::Match{{4000000000u, 7}, 0, 1});
    Answers result;
    for (std::size_t i = 1; i < matches.size(); ++i) {
        const engine::Match& m = matches[i];
        expect(m.accepted != 0);
        expect(m.word < batch.words());
        auto& words = result[{m.subscription.slot, m.subscription.generation}];
        words.resize(2 * batch.words());
        expect(words[m.word] == 0);
        words[m.word] = m.accepted;
    }
    for (const engine::Match& m : undecided) {
        expect(m.accepted != 0);
        expect(m.word < batch.words());
        auto& words = result[{m.subscription.slot, m.subscription.generation}];
        words.resize(2 * batch.words());
        words[batch.words() + m.word] |= m.accepted & ~words[m.word];
    }
    std::erase_if(result, is_empty);
    return result;
}

Answers accepted(Answers answers) {
    for (auto& [id, words] : answers) words.resize(words.size() / 2);
    std::erase_if(answers, is_empty);
    return answers;
}

void forget_some(const engine::Program& program, double share, std::uint32_t seed, engine::EventBatch& batch) {
    const auto& names = program.attributes()->names;
    for (std::uint32_t event = 0; event < batch.size(); ++event) {
        if (static_cast<double>(scan_answer("event", event + seed) % 1000) >= share * 1000) continue;
        for (std::uint32_t a = 0; a < names.size(); ++a)
            if (scan_answer(names[a], event + seed) % 3 == 0) batch.unknown.push_back({event, a});
    }
}

namespace {

// The number of literals, without the existence that the normal form adds at the end where no other one is positive and
// has an index.
std::size_t own_literals(const engine::NormalForm& form, const engine::Conjunction& conjunction) {
    if (conjunction.empty()) return 0;
    const auto term = [&](const engine::Literal& literal) -> const engine::Term& {
        return form.terms[literal.predicate];
    };
    const auto is_indexed = [&](const engine::Literal& literal) {
        const engine::Family family = term(literal).family;
        const bool is_late = family == engine::Family::scanned || family == engine::Family::measured;
        return !literal.negated && !is_late && family != engine::Family::not_equal &&
               family != engine::Family::number_not_equal;
    };
    const engine::Literal& last = conjunction.back();
    const auto is_on_its_attribute = [&](const engine::Literal& literal) {
        return !literal.negated && term(literal).name == term(last).name;
    };
    const auto others = std::span(conjunction).first(conjunction.size() - 1);
    const bool added = term(last).family == engine::Family::exists && !last.negated &&
                       std::none_of(others.begin(), others.end(), is_indexed) &&
                       std::any_of(others.begin(), others.end(), is_on_its_attribute);
    return conjunction.size() - (added ? 1 : 0);
}

// Whether the normal form keeps all literals of the conjunction, and none contradicts another.
bool is_kept_whole(const testing::WrittenConjunction& written) {
    const engine::Disjunction alone = testing::disjunction_of({written});  // that the terms point into
    const engine::NormalForm form = engine::normalise(alone);
    if (form.conjunctions.size() != 1) return false;
    const engine::Conjunction& conjunction = form.conjunctions.front();
    if (own_literals(form, conjunction) != written.size()) return false;
    return std::none_of(conjunction.begin(), conjunction.end(), [&](const engine::Literal& a) {
        return std::any_of(conjunction.begin(), conjunction.end(), [&](const engine::Literal& b) {
            return a.negated != b.negated && are_alike(form.terms[a.predicate], form.terms[b.predicate]);
        });
    });
}

// What the engine admits, but the filter compiler doesn't make.
engine::Disjunction with_repetitions(const testing::WrittenFilter& filter) {
    engine::Disjunction repeated{{{"unused", engine::Operator::exists, {}, 0}}, {}};
    for (const testing::WrittenConjunction& conjunction : filter) {
        engine::Conjunction& literals = repeated.conjunctions.emplace_back();
        for (const testing::WrittenLiteral& literal : conjunction) {
            literals.push_back({static_cast<std::uint32_t>(repeated.predicates.size()), literal.negated});
            repeated.predicates.push_back(literal.predicate);
        }
    }
    return repeated;
}

}  // namespace

void BothSets::add(const testing::WrittenFilter& filter) {
    const bool is_normal = std::all_of(filter.begin(), filter.end(), is_kept_whole);
    const engine::Disjunction distinct = testing::disjunction_of(filter);
    const bool repeats = added_++ % 3 == 2;
    const Both both{naive_->add(distinct), cpu_->add(repeats ? with_repetitions(filter) : distinct), is_normal};
    REQUIRE(std::none_of(living_.begin(), living_.end(), [&](const Both& b) { return b.cpu.slot == both.cpu.slot; }));
    living_.push_back(both);
}

std::string BothSets::refusal(const testing::WrittenFilter& filter) {
    std::string message;
    try {
        cpu_->add(testing::disjunction_of(filter));
    } catch (const engine::LimitError& error) {
        message = error.what();
    }
    REQUIRE_FALSE(message.empty());
    return message;
}

void BothSets::remove(std::size_t i) {
    const Both both = living_[i];
    REQUIRE(naive_->remove(both.naive));
    REQUIRE(cpu_->remove(both.cpu));
    REQUIRE_FALSE(naive_->remove(both.naive));
    REQUIRE_FALSE(cpu_->remove(both.cpu));
    living_[i] = living_.back();
    living_.pop_back();
}

void BothSets::observe(const std::vector<RandomEvent>& events, std::size_t times) {
    const auto program = cpu_->compile();
    const engine::EventBatch batch = make_batch(*program, events);
    std::vector<engine::Match> matches;
    for (; times > 0; --times) {
        matches.clear();
        program->match(batch, matches);
    }
}

std::size_t BothSets::differences(const std::vector<RandomEvent>& events, double unknown_share) {
    ++batches_;
    const auto of = [&](const engine::Program& program) {
        engine::EventBatch batch = make_batch(program, events);
        forget_some(program, unknown_share, batches_, batch);
        return answers(program, std::move(batch));
    };
    return differences(of(*naive_->compile()), of(*cpu_->compile()));
}

std::size_t BothSets::differences(const RandomGroups::Events& events, RandomGroups& groups, double unknown_share) {
    ++batches_;
    const auto naive = naive_->compile(), cpu = cpu_->compile();
    const auto of = [&](const engine::Program& program, engine::EventBatch batch) {
        forget_some(program, unknown_share, batches_, batch);
        return answers(program, std::move(batch));
    };
    const Answers expected = of(*naive, make_batch(*naive, groups.flat(events)));
    REQUIRE(of(*naive, groups.batch(*naive, events)) == expected);
    return differences(expected, of(*cpu, groups.batch(*cpu, events)));
}

std::size_t BothSets::differences(const Answers& naive, const Answers& cpu) {
    REQUIRE(naive_->size() == living_.size());
    REQUIRE(cpu_->size() == living_.size());
    std::size_t different = 0;
    for (const Both& both : living_) {
        const auto n = naive.find({both.naive.slot, both.naive.generation});
        const auto c = cpu.find({both.cpu.slot, both.cpu.generation});
        if (n == naive.end() && c == cpu.end()) continue;
        std::vector<std::uint32_t> none;
        none.resize((n == naive.end() ? c : n)->second.size());
        if (!agree(both, n == naive.end() ? none : n->second, c == cpu.end() ? none : c->second)) ++different;
    }
    matches_ += naive.size();
    for (const auto& [id, words] : naive)
        undecided_ += words.size() -
                      static_cast<std::size_t>(
                          std::count(words.begin() + static_cast<std::ptrdiff_t>(words.size() / 2), words.end(), 0u)) -
                      words.size() / 2;
    const auto is_living = [this](const auto& entry) {
        return std::any_of(living_.begin(), living_.end(), [&](const Both& both) {
            return std::pair(both.cpu.slot, both.cpu.generation) == entry.first;
        });
    };
    return different + static_cast<std::size_t>(std::count_if(cpu.begin(), cpu.end(), std::not_fn(is_living)));
}

// What is decided is decided alike. The normal form may decide more: it knows that some literals always hold, and that
// some exclude each other.
bool BothSets::agree(const Both& both, std::span<const std::uint32_t> naive, std::span<const std::uint32_t> cpu) {
    if (std::equal(naive.begin(), naive.end(), cpu.begin(), cpu.end())) return true;
    const std::size_t words = naive.size() / 2;
    for (std::size_t w = 0; w < words; ++w) {
        const std::uint32_t undecided = naive[words + w];
        if ((naive[w] & ~cpu[w]) != 0 || (cpu[w] & ~naive[w] & ~undecided) != 0) return false;
        if ((cpu[words + w] & ~undecided) != 0) return false;
    }
    return !both.is_normal;
}

}  // namespace sluice::test
