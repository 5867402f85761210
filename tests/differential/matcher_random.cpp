#include "tests/differential/matcher_random.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <stdexcept>
#include <unordered_map>

namespace sluice::test {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string huge(std::size_t size, char last) {
    std::string text(size, 'a');
    text.back() = last;
    return text;
}

// Texts that contain, begin and end one another.
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

// Not Catch's REQUIRE, which belongs to one thread.
void expect(bool condition) {
    if (!condition) throw std::logic_error("a program broke the contract of matcher.hpp");
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

// Of every kind that this build has.
Measure random_measure(Random& random) {
    static const std::vector<Measure> all = [] {
        std::vector<Measure> measures;
        for (const char* expression : {"a", "^a", "b$", "^$", "a.*b", "[^a]", "(?i)AB", "日", "\\d+", "(ab)+c?$"})
            measures.push_back({Measure::Kind::matches, expression, "", 0, 0});
        for (const Measure::Kind kind : {Measure::Kind::approx_distance, Measure::Kind::edit_distance}) {
            for (const char* pattern : {"a", "abc", "abcabcabc", "日本語", "xyz", "é"}) {
                for (const char* table : {"unit", "typing", "vowels"}) measures.push_back({kind, pattern, table, 0, 0});
            }
        }
        for (const Measure::Kind kind : {Measure::Kind::align, Measure::Kind::align_global}) {
            for (const char* sequence : {"A", "ACGTACG", "GATTACA"}) {
                for (const char* scheme : {"dna:1,-3,-5,-2", "dna:2,-1,-2,-1", "blosum62:-11,-1"})
                    measures.push_back({kind, sequence, scheme, 0, 0});
            }
        }
        for (const double epsilon : {0.1, 1.5}) {
            measures.push_back({Measure::Kind::laminarity, "", "", epsilon, 2});
            measures.push_back({Measure::Kind::determinism, "", "", epsilon, 3});
            measures.push_back({Measure::Kind::recurrence_rate, "", "", epsilon, 0});
        }
        std::erase_if(measures, [](const Measure& m) { return !fault_of(m).empty(); });
        return measures;
    }();
    return random.of(all);
}

Predicate random_measured(const World& world, Random& random) {
    constexpr auto first = static_cast<std::size_t>(Operator::number_equal);
    constexpr auto count = static_cast<std::size_t>(Operator::greater_equal) + 1 - first;
    Predicate p;
    p.attribute = attribute(world, random);
    p.op = static_cast<Operator>(first + random.below(count));
    p.number = random.chance(0.1) ? random_number(world, random) : static_cast<double>(random.below(17)) / 4;
    p.measure = random_measure(random);
    return p;
}

Predicate random_predicate(const World& world, Random& random) {
    if (random.chance(world.measured_share)) return random_measured(world, random);
    Predicate p;
    if (random.chance(world.scanned_share)) {
        p.op = Operator::scanned;
        p.attribute = "scanned" + std::to_string(random.below(world.scanned));
        return p;
    }
    p.attribute = attribute(world, random);
    p.op = static_cast<Operator>(random.below(static_cast<std::size_t>(Operator::scanned)));
    if (world.equality_only) p.op = random.chance(0.5) ? Operator::equal : Operator::number_equal;
    if (is_textual(p.op)) p.text = random_text(world, random);
    if (is_numeric(p.op)) p.number = random_number(world, random);
    return p;
}

Disjunction random_filter(const World& world, Random& random) {
    Disjunction filter(random.chance(0.7) ? 1 : random.below(world.conjunctions_max + 1));
    for (Conjunction& conjunction : filter) {
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

EventBatch make_batch(const Program& program, const std::vector<RandomEvent>& events) {
    std::unordered_map<std::string, std::uint32_t> ids;
    for (const std::string& name : program.attributes()->names) ids.emplace(name, ids.size());
    expect(ids.size() == program.attributes()->names.size());
    EventBatch batch;
    for (const RandomEvent& event : events) {
        const auto begin = batch.values.end() - batch.values.begin();
        for (const RandomValue& v : event) {
            if (ids.contains(v.attribute)) batch.values.push_back({ids[v.attribute], v.text, v.number});
        }
        std::stable_sort(batch.values.begin() + begin, batch.values.end(),
                         [](const Value& a, const Value& b) { return a.attribute < b.attribute; });
        batch.end_event();
    }
    return batch;
}

}  // namespace

Answers answers(const Program& program, const std::vector<RandomEvent>& events) {
    EventBatch batch = make_batch(program, events);
    std::set<std::pair<std::uint32_t, std::uint32_t>> asked;
    batch.scan = [&](std::uint32_t scanned, std::uint32_t event) {
        expect(asked.emplace(scanned, event).second);
        expect(event < batch.size());
        return scan_answer(program.scanned()->names.at(scanned), event) % 3 == 0;
    };
    std::vector<Match> matches{{{4000000000u, 7}, 0, 1}};  // match() appends
    program.match(batch, matches);
    expect(matches.front() == Match{{4000000000u, 7}, 0, 1});
    Answers result;
    for (std::size_t i = 1; i < matches.size(); ++i) {
        const Match& m = matches[i];
        expect(m.accepted != 0);
        expect(m.word < batch.words());
        auto& words = result[{m.subscription.slot, m.subscription.generation}];
        words.resize(batch.words());
        expect(words[m.word] == 0);
        words[m.word] = m.accepted;
    }
    return result;
}

void BothSets::add(const Disjunction& filter) {
    const Both both{naive_->add(filter), cpu_->add(filter)};
    REQUIRE(std::none_of(living_.begin(), living_.end(), [&](const Both& b) { return b.cpu.slot == both.cpu.slot; }));
    living_.push_back(both);
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
    const EventBatch batch = make_batch(*program, events);
    std::vector<Match> matches;
    for (; times > 0; --times) {
        matches.clear();
        program->match(batch, matches);
    }
}

std::size_t BothSets::differences(const std::vector<RandomEvent>& events) {
    REQUIRE(naive_->size() == living_.size());
    REQUIRE(cpu_->size() == living_.size());
    const Answers naive = answers(*naive_->compile(), events), cpu = answers(*cpu_->compile(), events);
    std::size_t different = 0;
    for (const Both& both : living_) {
        const auto n = naive.find({both.naive.slot, both.naive.generation});
        const auto c = cpu.find({both.cpu.slot, both.cpu.generation});
        const bool in_naive = n != naive.end(), in_cpu = c != cpu.end();
        if (in_naive != in_cpu || (in_naive && n->second != c->second)) ++different;
    }
    matches_ += naive.size();
    return different + (naive.size() == cpu.size() ? 0 : 1);
}

}  // namespace sluice::test
