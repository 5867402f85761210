// The extensions of filters to XPath 1.0, functions and variables, against an evaluator that knows the items without
// parsing any XML, feeds or dates. It evaluates operator functions by their definition: all parts of a text, one after
// the other.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>

#include "protocol/feed/parse.hpp"
#include "tests/differential/oracle.hpp"

using namespace sluice;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view texts[] = {"a", "A", "ab", "Ab", "bA", "abc", "ABC", "cab", "GPU", "gpu news", "12", "x y"};

struct Record {
    std::string feed_title;
    std::optional<std::string> title;
    std::vector<std::string> categories;
    std::optional<double> date;  // NaN: a text that is not a date
    std::string date_text;
};

// A date as feeds have it, built from its parts so that its seconds are known without our own code.
void give_date(Record& record, Random& random) {
    constexpr const char* months[] = {"Jan", "Feb", "Mar"};
    constexpr int days_before[] = {0, 31, 60};  // 2024 is a leap year
    const int month = static_cast<int>(random.below(3)), day = static_cast<int>(random.between(1, 28));
    const int hour = static_cast<int>(random.below(24)), minute = static_cast<int>(random.below(60));
    const int zone = random.chance(50) ? 0 : static_cast<int>(random.below(25)) - 12;
    constexpr double seconds_2024 = 1704067200;
    record.date = seconds_2024 + (days_before[month] + day - 1) * 86400.0 + (hour - zone) * 3600.0 + minute * 60.0;
    char text[64];
    const char sign = zone < 0 ? '-' : '+';
    if (random.chance(50)) {
        std::snprintf(text, sizeof text, "%d %s 2024 %02d:%02d:00 %c%02d00", day, months[month], hour, minute, sign,
                      std::abs(zone));
    } else {
        std::snprintf(text, sizeof text, "2024-%02d-%02dT%02d:%02d:00%c%02d:00", month + 1, day, hour, minute, sign,
                      std::abs(zone));
    }
    record.date_text = text;
}

std::vector<Record> make_records(Random& random) {
    std::vector<Record> records(random.between(1, 5));
    const std::string feed_title(random.pick(texts));
    for (Record& record : records) {
        record.feed_title = feed_title;
        if (random.chance(85)) record.title = random.pick(texts);
        for (std::size_t n = random.below(4); n > 0; --n) record.categories.emplace_back(random.pick(texts));
        if (random.chance(70)) {
            give_date(record, random);
        } else if (random.chance(50)) {
            record.date = nan;
            record.date_text = "soon";
        }
    }
    return records;
}

feed::DocumentPtr publish(const std::vector<Record>& records) {
    std::string xml = "<rss version='2.0'><channel><title>" + records[0].feed_title + "</title>";
    for (const Record& record : records) {
        xml += "<item>";
        if (record.title) xml += "<title>" + *record.title + "</title>";
        for (const std::string& category : record.categories) xml += "<category>" + category + "</category>";
        if (record.date) xml += "<pubDate>" + record.date_text + "</pubDate>";
        xml += "</item>";
    }
    return feed::parse_document(xml + "</channel></rss>", {}).value();
}

// No oracle reads it.
OracleDocument as_published(const std::vector<Record>& records) {
    OracleDocument document;
    document.ours = publish(records);
    copy_tree(document);
    return document;
}

struct Test {
    std::string text;
    std::function<bool(const Record&)> holds;
};

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// The values and texts of a name that filters can use in two forms: "title" and "$title", "category" and "$category".
struct Named {
    std::string text;
    std::function<std::vector<std::string>(const Record&)> values;
};

Named any_name(Random& random) {
    const std::string variable = random.chance(50) ? "$" : "";
    if (random.chance(15)) return {"$feed_title", [](const Record& r) { return std::vector{r.feed_title}; }};
    if (random.chance(10)) return {"$stream", [](const Record&) { return std::vector<std::string>{"oracle"}; }};
    if (random.chance(50)) return {variable + "category", [](const Record& r) { return r.categories; }};
    return {variable + "title",
            [](const Record& r) { return r.title ? std::vector{*r.title} : std::vector<std::string>{}; }};
}

Test any_value(const Named& named, std::string text, const std::function<bool(const std::string&)>& holds) {
    return {std::move(text), [named, holds](const Record& record) {
                const auto values = named.values(record);
                return std::any_of(values.begin(), values.end(), holds);
            }};
}

Test first_value(const Named& named, std::string text, const std::function<bool(const std::string&)>& holds) {
    return {std::move(text), [named, holds](const Record& record) {
                const auto values = named.values(record);
                return holds(values.empty() ? "" : values[0]);
            }};
}

Test date_test(Random& random) {
    Record other;
    give_date(other, random);
    const double limit = *other.date;
    char number[32];
    std::snprintf(number, sizeof number, "%.0f", limit);
    const std::string what = random.chance(50) ? "date(pubDate)" : "$published";
    const auto with = [&](const char* op, auto compare) {
        return Test{what + op + number, [=](const Record& r) { return r.date && compare(*r.date, limit); }};
    };
    switch (random.below(5)) {
        case 0:
            return with(" < ", std::less<>{});
        case 1:
            return with(" >= ", std::greater_equal<>{});
        case 2:
            return with(" != ", std::not_equal_to<>{});
        case 3:
            return {"boolean($published)", [](const Record& r) { return r.date.has_value(); }};
        default:
            return {"number($published) = $published", [](const Record& r) { return r.date && !std::isnan(*r.date); }};
    }
}

// By the textbook: rows and columns of the whole matrix.
std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0)
                d[i][j] = i + j;
            else
                d[i][j] =
                    std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
        }
    }
    return d[a.size()][b.size()];
}

std::size_t distance_of_part(const std::string& text, const std::string& pattern) {
    std::size_t least = pattern.size();
    for (std::size_t begin = 0; begin < text.size(); ++begin) {
        for (std::size_t size = 1; begin + size <= text.size(); ++size)
            least = std::min(least, edit_distance(text.substr(begin, size), pattern));
    }
    return least;
}

// The score of texts too short for a gap or a mismatch to pay off: their longest common part of A, C, G and T.
std::size_t alignment_score(const std::string& text, const std::string& sequence) {
    std::size_t best = 0;
    for (std::size_t begin = 0; begin < sequence.size(); ++begin) {
        for (std::size_t size = 1; begin + size <= sequence.size(); ++size) {
            if (lower(text).find(lower(sequence.substr(begin, size))) != std::string::npos) best = std::max(best, size);
        }
    }
    return best;
}

// A regular expression and its meaning.
struct Expression {
    const char* text;
    bool (*found)(const std::string&);
};
const Expression expressions[] = {
    {"^a", [](const std::string& v) { return v.starts_with("a"); }},
    {"[bc]$", [](const std::string& v) { return v.ends_with("b") || v.ends_with("c"); }},
    {"(?i)GPU", [](const std::string& v) { return lower(v).find("gpu") != v.npos; }},
    {"^.{2}$", [](const std::string& v) { return v.size() == 2; }},
    {"\\d", [](const std::string& v) { return v == "12"; }},
    {"a.*b|x",
     [](const std::string& v) {
         const std::size_t a = v.find('a');
         return v.find('x') != v.npos || (a != v.npos && v.find('b', a) != v.npos);
     }},
};

Test computed_test(const Named& n, Random& random) {
    const std::string x(random.pick(texts)), k = std::to_string(random.below(3));
    const std::size_t limit = std::stoul(k);
    static const bool has_regex = engine::invalid_reason({engine::Measure::Kind::matches, "a", "", 0, 0}).empty();
    switch (random.below(has_regex ? 8 : 7)) {
        case 0:
            return any_value(n, "approx-contains(" + n.text + ", " + quoted(x) + ", " + k + ")",
                             [=](const auto& v) { return distance_of_part(v, x) <= limit; });
        case 1:
            return any_value(n, k + " < approx-distance(" + n.text + ", " + quoted(x) + ")",
                             [=](const auto& v) { return distance_of_part(v, x) > limit; });
        case 2:
            return any_value(n, "edit-distance(" + n.text + ", " + quoted(x) + ") = " + k,
                             [=](const auto& v) { return edit_distance(v, x) == limit; });
        case 3:
            return any_value(n, "edit-distance(" + n.text + ", " + quoted(x) + ", 'unit') != " + k,
                             [=](const auto& v) { return edit_distance(v, x) != limit; });
        case 4:
            return any_value(n, "align(" + n.text + ", 'CACA') > " + k,
                             [=](const auto& v) { return alignment_score(v, "CACA") > limit; });
        case 5:
            // A series of one point recurs with itself; a text that is not a number has no rate, and so not even a
            // different one.
            return any_value(n, "recurrence-rate(" + n.text + ", 0.5) != " + k,
                             [=](const auto& v) { return v == "12" && limit != 1; });
        case 6:
            return first_value(n, "edit-distance(string(" + n.text + "), " + quoted(x) + ") <= " + k,
                               [=](const auto& v) { return edit_distance(v, x) <= limit; });
        default: {
            const Expression& e = expressions[random.below(std::size(expressions))];
            return any_value(n, "matches(" + n.text + ", '" + e.text + "')", e.found);
        }
    }
}

Test simple_test(Random& random) {
    const Named n = any_name(random);
    const std::string x(random.pick(texts)), low = lower(x), end = x.substr(random.below(x.size()));
    if (random.chance(30)) return computed_test(n, random);
    switch (random.below(15)) {
        case 0:
            return any_value(n, "ends-with(" + n.text + ", " + quoted(end) + ")",
                             [=](const auto& v) { return v.ends_with(end); });
        case 1:
            return any_value(n, "lower-case(" + n.text + ") = " + quoted(low),
                             [=](const auto& v) { return lower(v) == low; });
        case 2:
            return any_value(n, "lower-case(" + n.text + ") != " + quoted(low),
                             [=](const auto& v) { return lower(v) != low; });
        case 3:
            return random.chance(20)
                       ? first_value(n, "contains(string(lower-case(" + n.text + ")), " + quoted(low) + ")",
                                     [=](const auto& v) { return lower(v).find(low) != v.npos; })
                       : any_value(n, "contains(lower-case(" + n.text + "), " + quoted(low) + ")",
                                   [=](const auto& v) { return lower(v).find(low) != v.npos; });
        case 12:
            return any_value(n, "starts-with(lower-case(" + n.text + "), " + quoted(low) + ")",
                             [=](const auto& v) { return lower(v).starts_with(low); });
        case 13:
            return any_value(n, "ends-with(lower-case(" + n.text + "), lower-case(" + quoted(end) + "))",
                             [=](const auto& v) { return lower(v).ends_with(lower(end)); });
        case 4:
            return first_value(n, "starts-with(" + n.text + ", " + quoted(x) + ")",
                               [=](const auto& v) { return v.starts_with(x); });
        case 5:
            return any_value(n, n.text + " = " + quoted(x), [=](const auto& v) { return v == x; });
        case 6:
            return any_value(n, quoted(x) + " != " + n.text, [=](const auto& v) { return v != x; });
        case 7:
            return any_value(n, n.text + " > 11", [](const auto& v) { return v == "12"; });
        case 8:
            return first_value(n, "string-length(" + n.text + ") > 2", [](const auto& v) { return v.size() > 2; });
        case 9:
            return first_value(n, "concat(" + n.text + ", '!') = " + quoted(x + "!"),
                               [=](const auto& v) { return v == x; });
        case 10:
            return {"count(" + n.text + ") = 2", [=](const Record& r) { return n.values(r).size() == 2; }};
        case 11:
            return any_value(n, n.text, [](const auto&) { return true; });
        default:
            return date_test(random);
    }
}

Test any_test(Random& random, std::size_t depth) {
    if (depth == 0) return simple_test(random);
    const Test a = any_test(random, depth - 1), b = any_test(random, depth - 1);
    switch (random.below(3)) {
        case 0:
            return {"(" + a.text + ") and (" + b.text + ")", [=](const Record& r) { return a.holds(r) && b.holds(r); }};
        case 1:
            return {"(" + a.text + ") or (" + b.text + ")", [=](const Record& r) { return a.holds(r) || b.holds(r); }};
        default:
            return {"not(" + a.text + ")", [=](const Record& r) { return !a.holds(r); }};
    }
}

}  // namespace

TEST_CASE("added functions and variables mean what they say") {
    Random random(1);
    std::size_t yes = 0, count = 0;
    for (int round = 0; round < 200; ++round) {
        std::vector<Record> records;
        std::vector<OracleDocument> documents;
        for (int i = 0; i < 8; ++i) {
            const auto more = make_records(random);
            documents.push_back(as_published(more));
            records.insert(records.end(), more.begin(), more.end());
        }
        std::vector<Test> tests;
        OurSide ours(round % 4 == 0 ? engine::Backend::naive : engine::Backend::cpu);
        while (tests.size() < 50) {
            Test test = any_test(random, random.below(3));
            if (random.chance(20)) test.text = "//item[" + test.text + "]";
            INFO(test.text);
            ours.add(filter::compile_filter(test.text).value().disjunction);
            tests.push_back(std::move(test));
        }
        const std::vector<Answers> answers = ours.answers(documents);
        for (std::size_t t = 0; t < tests.size(); ++t) {
            for (std::size_t i = 0; i < records.size(); ++i) {
                const bool expected = tests[t].holds(records[i]);
                yes += expected;
                ++count;
                if (answers[t][i] == expected) continue;
                FAIL(tests[t].text << " is " << answers[t][i] << " for item " << i << " with the title "
                                   << records[i].title.value_or("(none)") << ", the date " << records[i].date_text
                                   << " and " << records[i].categories.size() << " categories");
            }
        }
    }
    CHECK(yes * 100 >= count * 25);
    CHECK(yes * 100 <= count * 75);
}
