#include "tests/bench/matcher_workload.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "tests/support/written_filter.hpp"

namespace sluice::bench {

namespace {

struct Shape {
    int dimensions, literals, event_attributes, domain;
    double range_width;     // as a share of the domain
    double equality_share;  // of the literals
    double skew;            // of the choice of attributes, by Zipf's law
    int misleading = 0;     // this many attributes have many operands, yet the value 0 in every event
    double value_skew = 0;  // of the values of equalities and events, by Zipf's law; 0: uniform
};

const std::map<std::string, Shape>& shapes() {
    static const std::map<std::string, Shape> all = {
        {"W1", {20, 5, 20, 1000, 0.25, 0, 0}},        // dense ranges
        {"W2", {100, 3, 20, 10, 0, 1, 0}},            // sparse equalities
        {"W3", {20, 3, 20, 100, 0, 1, 0}},            // dense equalities
        {"W4", {20, 5, 20, 1000, 0.01, 0, 0}},        // narrow ranges
        {"W5", {200, 4, 15, 1000, 0.10, 0.6, 1}},     // mixed and skewed
        {"W7", {4, 4, 4, 100, 0, 1, 0, 2}},           // operands that mislead
        {"W8", {100, 3, 20, 10'000, 0, 1, 0, 0, 1}},  // a million predicates, few of them in demand
    };
    return all;
}

class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    double share() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    int below(int n) { return static_cast<int>(share() * n); }

private:
    std::mt19937_64 engine_;
};

class Zipf {
public:
    Zipf(int n, double skew) {
        double sum = 0;
        for (int i = 1; i <= n; ++i) cumulative_.push_back(sum += 1 / std::pow(i, skew));
        for (double& c : cumulative_) c /= sum;
    }
    int one(Dice& dice) const {
        const auto at = std::lower_bound(cumulative_.begin(), cumulative_.end(), dice.share());
        return static_cast<int>(std::min(at - cumulative_.begin(), std::ssize(cumulative_) - 1));
    }
    std::set<int> several(int count, Dice& dice) const {
        std::set<int> chosen;
        while (std::ssize(chosen) < count) chosen.insert(one(dice));
        return chosen;
    }

private:
    std::vector<double> cumulative_;
};

// A value of the domain.
class Values {
public:
    explicit Values(const Shape& shape) : domain_(shape.domain) {
        if (shape.value_skew > 0) zipf_.emplace(shape.domain, shape.value_skew);
    }
    int one(Dice& dice) const { return zipf_ ? zipf_->one(dice) : dice.below(domain_); }

private:
    int domain_;
    std::optional<Zipf> zipf_;
};

Workload::Interval interval(int attribute, const Shape& shape, const Values& values, Dice& dice) {
    if (attribute < shape.misleading) {
        const int value = dice.share() < 0.1 ? 0 : dice.below(10 * shape.domain);
        return {attribute, value, value};
    }
    if (dice.share() < shape.equality_share) {
        const int value = values.one(dice);
        return {attribute, value, value};
    }
    const int width = std::max(1, static_cast<int>(shape.range_width * shape.domain));
    const int lo = dice.below(shape.domain - width);
    return {attribute, lo, lo + width};
}

Workload generate_numbers(const Shape& shape, std::size_t subscriptions, std::size_t events, std::uint64_t seed) {
    Workload w;
    w.dimensions = shape.dimensions;
    w.domain = shape.domain;
    w.literals = shape.literals;
    Dice dice(seed);
    const Zipf attributes(shape.dimensions, shape.skew);
    const Values values(shape);
    while (w.subscriptions() < subscriptions) {
        for (const int a : attributes.several(shape.literals, dice))
            w.intervals.push_back(interval(a, shape, values, dice));
        w.interval_ends.push_back(w.intervals.size());
    }
    for (std::vector<Workload::Number> event; w.events() < events; event.clear()) {
        for (const int a : attributes.several(shape.event_attributes, dice))
            event.push_back({a, a < shape.misleading ? 0 : values.one(dice)});
        w.number_events.push_back(event);
    }
    return w;
}

std::string numbered(const char* name, int number) {
    std::string text = name;
    text += std::to_string(number);
    return text;
}

Workload generate_text(std::size_t subscriptions, std::size_t events, std::uint64_t seed) {
    constexpr int categories = 200, vocabulary = 100'000, title_words = 12;
    Workload w;
    w.is_text = true;
    Dice dice(seed);
    std::vector<std::string> words;
    while (words.size() < vocabulary) {
        std::string& word = words.emplace_back(static_cast<std::size_t>(4 + dice.below(6)), 'a');
        for (char& c : word) c = static_cast<char>('a' + dice.below(26));
    }
    const Zipf choice(vocabulary, 1);
    const auto category = [&] { return numbered("cat", dice.below(categories)); };
    const auto word = [&] { return words[static_cast<std::size_t>(choice.one(dice))]; };
    while (w.subscriptions() < subscriptions) {
        std::string c = category();
        w.text_subscriptions.push_back({std::move(c), word()});
    }
    while (w.events() < events) {
        std::string c = category(), title = word();
        for (int i = 1; i < title_words; ++i) title.append(" ").append(word());
        w.text_events.push_back({std::move(c), std::move(title)});
    }
    return w;
}

std::ifstream open(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    return file;
}

void expect(bool condition, const std::string& path) {
    if (!condition) throw std::runtime_error(path + " is not in the format of matcher_workload.hpp");
}

void read_numbers(Workload& w, const std::string& subs_path, const std::string& events_path) {
    std::ifstream subs = open(subs_path), events = open(events_path);
    std::size_t count = 0, id = 0, k = 0;
    expect(bool(subs >> count >> w.dimensions >> w.domain >> w.literals), subs_path);
    for (std::size_t i = 0; i < count; ++i) {
        expect(bool(subs >> id >> k), subs_path);
        for (Workload::Interval x; k > 0; --k) {
            expect(bool(subs >> x.attribute >> x.lo >> x.hi), subs_path);
            w.intervals.push_back(x);
        }
        w.interval_ends.push_back(w.intervals.size());
    }
    expect(bool(events >> count), events_path);
    for (std::size_t e = 0; e < count; ++e) {
        expect(bool(events >> k), events_path);
        auto& event = w.number_events.emplace_back();
        for (Workload::Number x; k > 0; --k) {
            expect(bool(events >> x.attribute >> x.value), events_path);
            event.push_back(x);
        }
    }
}

void read_text(Workload& w, const std::string& subs_path, const std::string& events_path) {
    std::ifstream subs = open(subs_path), events = open(events_path);
    Workload::Text text;
    for (std::string id; std::getline(subs, id, '\t');) {
        expect(std::getline(subs, text.category, '\t') && std::getline(subs, text.text), subs_path);
        w.text_subscriptions.push_back(text);
    }
    while (std::getline(events, text.category, '\t')) {
        expect(bool(std::getline(events, text.text)), events_path);
        w.text_events.push_back(text);
    }
}

std::uint64_t scramble(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

std::string attribute_name(int attribute) { return numbered("a", attribute); }

}  // namespace

Workload generate(const std::string& name, std::size_t subscriptions, std::size_t events, std::uint64_t seed) {
    if (name == "W6") return generate_text(subscriptions, events, seed);
    const auto shape = shapes().find(name);
    if (shape == shapes().end()) throw std::runtime_error("no workload " + name + "; there are W1 to W8");
    return generate_numbers(shape->second, subscriptions, events, seed);
}

Workload read_files(const std::string& prefix) {
    Workload w;
    const std::string subs = prefix + ".subs", events = prefix + ".events";
    std::ifstream file = open(subs);
    std::string line;
    std::getline(file, line);
    w.is_text = line.find('\t') != std::string::npos;
    if (w.is_text)
        read_text(w, subs, events);
    else
        read_numbers(w, subs, events);
    return w;
}

void write_files(const Workload& w, const std::string& prefix) {
    std::ofstream subs(prefix + ".subs"), events(prefix + ".events");
    if (w.is_text) {
        std::size_t id = 0;
        for (const auto& s : w.text_subscriptions) subs << ++id << '\t' << s.category << '\t' << s.text << '\n';
        for (const auto& e : w.text_events) events << e.category << '\t' << e.text << '\n';
    } else {
        subs << w.subscriptions() << ' ' << w.dimensions << ' ' << w.domain << ' ' << w.literals << '\n';
        for (std::size_t i = 0; i < w.subscriptions(); ++i) {
            subs << i + 1 << ' ' << w.interval_ends[i + 1] - w.interval_ends[i];
            for (std::size_t k = w.interval_ends[i]; k < w.interval_ends[i + 1]; ++k)
                subs << ' ' << w.intervals[k].attribute << ' ' << w.intervals[k].lo << ' ' << w.intervals[k].hi;
            subs << '\n';
        }
        events << w.events() << '\n';
        for (const auto& event : w.number_events) {
            events << event.size();
            for (const auto& x : event) events << ' ' << x.attribute << ' ' << x.value;
            events << '\n';
        }
    }
    if (!subs.flush() || !events.flush()) throw std::runtime_error("cannot write " + prefix + ".subs and .events");
}

void Tally::count(std::span<const engine::Match> found, std::span<const std::uint32_t> number_of_slot,
                  std::size_t first_event) {
    for (const engine::Match& m : found) {
        for (std::uint32_t left = m.accepted; left != 0; left &= left - 1) {
            const std::size_t event = first_event + 32 * m.word + static_cast<std::size_t>(std::countr_zero(left));
            ++matches;
            checksum += scramble(std::uint64_t{number_of_slot[m.subscription.slot]} << 32 | event);
        }
    }
}

engine::Disjunction Workload::filter(std::size_t i) const {
    testing::WrittenConjunction conjunction;
    if (is_text) {
        const Text& s = text_subscriptions[i];
        conjunction.push_back({{"category", engine::Operator::equal, s.category, 0}, false});
        conjunction.push_back({{"title", engine::Operator::contains, s.text, 0}, false});
        return testing::disjunction_of({conjunction});
    }
    for (std::size_t k = interval_ends[i]; k < interval_ends[i + 1]; ++k) {
        const Interval& x = intervals[k];
        const auto literal = [&](engine::Operator op, int number) {
            conjunction.push_back({{attribute_name(x.attribute), op, {}, static_cast<double>(number)}, false});
        };
        if (x.lo == x.hi) {
            literal(engine::Operator::number_equal, x.lo);
        } else {
            literal(engine::Operator::greater_equal, x.lo);
            literal(engine::Operator::less_equal, x.hi);
        }
    }
    return testing::disjunction_of({conjunction});
}

engine::EventBatch Workload::batch(std::size_t first, std::size_t count, const engine::Dictionary& attributes) const {
    std::unordered_map<std::string, std::uint32_t> ids;
    for (const std::string& name : attributes.names) ids.emplace(name, ids.size());
    engine::EventBatch batch;
    const auto value = [&](const std::string& name, std::string_view text, double number) {
        if (const auto id = ids.find(name); id != ids.end()) batch.values.push_back({id->second, text, number});
    };
    for (std::size_t e = first; e < first + count; ++e) {
        const auto begin = std::ssize(batch.values);
        if (is_text) {
            value("category", text_events[e].category, std::numeric_limits<double>::quiet_NaN());
            value("title", text_events[e].text, std::numeric_limits<double>::quiet_NaN());
        } else {
            for (const Number& x : number_events[e]) value(attribute_name(x.attribute), {}, x.value);
        }
        std::stable_sort(batch.values.begin() + begin, batch.values.end(),
                         [](const engine::Value& a, const engine::Value& b) { return a.attribute < b.attribute; });
        batch.end_event();
    }
    return batch;
}

}  // namespace sluice::bench
