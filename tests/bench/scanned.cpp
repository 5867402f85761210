// Scanned conditions, our evaluator beside pugixml's, tab-separated: bench_scanned FEED…
//
//   filter   text, microseconds of pugixml's, of ours without and with building the index, the two ratios
//   all      the same for all filters together: a document's index is built once for them
//   index    microseconds to build the indexes of all feeds
//   growth   filter, nodes, microseconds with the index, nanoseconds per node with it and without it, steps
//   price    kind of work, its condition, steps, nanoseconds per step (that is what budgets count)
//   prices   the least and the greatest of these, and their ratio, which should be at most 4
//
// As in the daemon, a document is parsed just before it is evaluated and freed just after. Parsing is not measured;
// freeing is, where the index counts. Processor time, medians of several rounds, in which the evaluators alternate.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "protocol/feed/parse.hpp"
#include "protocol/feed/values/scanned_leaves.hpp"
#include "tests/support/conditions.hpp"
#include "tests/support/pugi_copy.hpp"

using namespace sluice;
using namespace sluice::feed;
using namespace sluice::filter;

namespace {

constexpr int rounds = 31;

struct Benched {
    const char* text;
    bool selects = false;
};
constexpr Benched filters[] = {
    {"category[2]"},
    {"category[last()] = category[1]"},
    {"*[1] = title"},
    {"*[last()]/@*"},
    {".//@href"},
    {"normalize-space(title) = title"},
    {"title = ../title"},
    {"not(following-sibling::*)"},
    {"count(preceding-sibling::*) mod 2 = 0"},
    {"preceding-sibling::item[3] or preceding-sibling::entry[3]"},
    {"substring-before(link, '://') = 'https'"},
    {"substring(pubDate, 1, 3) = 'Mon' or substring(pubDate, 1, 3) = 'Tue'"},
    {"translate(title, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') = title"},
    {"lang('en')"},
    {"link[@rel = 'alternate' and starts-with(@href, 'http')]"},
    {"//item[position() < 3] | //entry[position() < 3]", true},
    {"//*[title][1]", true},
    {"//guid[@isPermaLink = 'true']/..", true},
    {"//title[contains(., 'e')]/parent::item", true},
    {"//item[preceding-sibling::item]", true},
};

constexpr std::size_t nothing = std::size(filters);  // the condition that needs only the index

// Adds up the processor time of the work run in it.
class Watch {
public:
    template <class Work>
    void run(const Work& work) {
        const double begin = now_us();
        work();
        us_ += now_us() - begin;
    }
    double us() const { return us_; }

private:
    static double now_us() {
        timespec now;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
    }

    double us_ = 0;
};

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

DocumentPtr parse(const std::string& text) {
    DocumentOptions options;
    options.limits.item_values_max = options.limits.values_max;
    return parse_document(text, options).value();
}

std::vector<Event> events_of(const DocumentPtr& document) {
    static const auto stream = std::make_shared<const std::string>("bench");
    std::vector<Event> events;
    for (std::size_t i = 0; i < document->items().size(); ++i) events.push_back({document, i, stream, i + 1});
    return events;
}

std::size_t ask_pugixml(const pugi::xpath_query& query, bool selects, const PugiCopy& document) {
    std::size_t yes = 0;
    std::vector<const void*> selected;
    if (selects) {
        for (const pugi::xpath_node& node : query.evaluate_node_set(document.tree()))
            selected.push_back(node.node().internal_object());
        std::sort(selected.begin(), selected.end());
    }
    for (const pugi::xml_node item : document.items()) {
        const bool holds = selects ? std::binary_search(selected.begin(), selected.end(), item.internal_object())
                                   : query.evaluate_boolean(item);
        yes += holds ? 1u : 0u;
    }
    return yes;
}

std::size_t ask_us(ScannedLeaves& leaves, std::size_t leaf, const std::vector<Event>& events) {
    std::size_t yes = 0;
    for (const Event& event : events) yes += leaves.holds(leaf, event).value_or(false) ? 1u : 0u;
    return yes;
}

ScannedLeaves leaves_of_filters() {
    std::vector<std::shared_ptr<const engine::ScannedCondition>> list;
    for (const Benched& filter : filters)
        list.push_back(make_condition(
            filter.text, filter.selects ? xpath::Condition::Form::selection : xpath::Condition::Form::test));
    list.push_back(make_condition("self::nothing"));
    ScannedLeaves leaves;
    leaves.assign(list);
    return leaves;
}

struct Times {
    std::vector<double> pugixml, alone, indexed;

    void print(const char* what, const char* text) const {
        const double theirs = median(pugixml), ours = median(alone), all = median(indexed);
        std::printf("%s\t%s\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\n", what, text, theirs, ours, all, theirs / ours,
                    theirs / all);
    }
};

// Runs filters `first` to `last` - 1 on all feeds, once. False: the answers differ.
bool take_round(ScannedLeaves& leaves, const std::vector<std::string>& feeds, std::size_t first, std::size_t last,
                Times& times) {
    std::vector<pugi::xpath_query> queries;
    for (std::size_t f = first; f < last; ++f) queries.emplace_back(filters[f].text);
    Watch pugixml, alone, indexed;
    std::size_t theirs = 0, ours = 0;
    for (const std::string& feed : feeds) {
        const PugiCopy document(*parse(feed));
        pugixml.run([&] {
            for (std::size_t f = first; f < last; ++f)
                theirs += ask_pugixml(queries[f - first], filters[f].selects, document);
        });
    }
    for (const bool is_indexed : {true, false}) {
        Watch& watch = is_indexed ? alone : indexed;
        for (const std::string& feed : feeds) {
            std::vector<Event> events = events_of(parse(feed));
            if (is_indexed) ask_us(leaves, nothing, events);
            watch.run([&] {
                for (std::size_t f = first; f < last; ++f) ours += ask_us(leaves, f, events);
            });
            events.clear();  // and the document with them
            if (is_indexed)
                leaves.end_batch();
            else
                watch.run([&] { leaves.end_batch(); });
            leaves.begin_batch();
        }
    }
    times.pugixml.push_back(pugixml.us());
    times.alone.push_back(alone.us());
    times.indexed.push_back(indexed.us());
    return ours == 2 * theirs;
}

void compare(const std::vector<std::string>& feeds) {
    ScannedLeaves leaves = leaves_of_filters();
    bool same = true;
    for (std::size_t f = 0; f < std::size(filters); ++f) {
        Times times;
        for (int i = 0; i < rounds; ++i) same = take_round(leaves, feeds, f, f + 1, times) && same;
        times.print("filter", filters[f].text);
    }
    Times times;
    for (int i = 0; i < rounds; ++i) same = take_round(leaves, feeds, 0, std::size(filters), times) && same;
    times.print("all", same ? "same answers" : "other answers");
    std::vector<double> index_us;
    for (int i = 0; i < rounds; ++i) {
        Watch watch;
        for (const std::string& feed : feeds) {
            std::vector<Event> events = events_of(parse(feed));
            events.resize(1);
            watch.run([&] { ask_us(leaves, nothing, events); });
            events.clear();
            watch.run([&] { leaves.end_batch(); });
        }
        index_us.push_back(watch.us());
    }
    std::printf("index\t%.1f\n", median(index_us));
}

void grow(const char* text, std::size_t nodes) {
    std::string xml = "<r><item>";
    for (std::size_t i = 0; i < nodes / 6; ++i) {
        const std::string n = std::to_string(i);
        xml += "<a k='" + n + "'>" + n + "</a><b k='b" + n + "'>b" + n + "</b>";
    }
    xml += "</item></r>";
    ScannedLeaves leaves;
    leaves.assign(std::vector<std::shared_ptr<const engine::ScannedCondition>>{make_condition(text),
                                                                               make_condition("self::nothing")});
    std::vector<double> indexed, alone;
    std::uint64_t steps = 0;
    for (int i = 0; i < rounds; ++i) {
        Watch index, rest;
        std::vector<Event> events = events_of(parse(xml));
        index.run([&] { ask_us(leaves, 1, events); });
        rest.run([&] { ask_us(leaves, 0, events); });
        steps = leaves.last_steps();
        events.clear();
        index.run([&] { leaves.end_batch(); });
        leaves.begin_batch();
        indexed.push_back(index.us() + rest.us());
        alone.push_back(rest.us());
    }
    const double ns = 1000 / static_cast<double>(nodes);
    std::printf("growth\t%s\t%zu\t%.1f\t%.1f\t%.1f\t%llu\n", text, nodes, median(indexed), median(indexed) * ns,
                median(alone) * ns, static_cast<unsigned long long>(steps));
}

// What a step of each kind of work takes. "{}" stands for a number that makes conditions distinct.
struct Priced {
    const char* kind;
    const char* text;
    bool is_tiny = false;  // thousands of them on a tiny document, instead of one on a large one
};
constexpr Priced works[] = {
    {"nothing to do", "boolean(self::x{})", true},
    {"existence", "boolean(following::x{})", true},
    {"existence of a child", "boolean(x{})", true},
    {"ancestors", "boolean(ancestor-or-self::x{})", true},
    {"from the root", "boolean(//x{}/..)", true},
    {"names", "name(*[1]) = 'x{}'", true},
    {"counts", "count(x{}) = count(../y{})", true},
    {"string functions", "substring-before(., 'x{}') = 'x'", true},
    {"variables", "boolean($category[. = 'x{}'])", true},
    {"unions", "boolean((a | x{})[2])", true},
    {"unions in unions", "boolean((*|..)[(*|..)[(*|..)[. = 'x{}']]])", true},
    {"negation", "not(x{}) and not(y{}) and x = 'z'", true},
    {"descendants", "boolean(//nothing)"},
    {"axes from many nodes", "count(//a/following-sibling::b/preceding-sibling::a) = 7"},
    {"ancestors of many nodes", "count(//a/ancestor::*) = 7"},
    {"predicates", "boolean(//a[b][c])"},
    {"positions", "boolean(//*[7][8])"},
    {"last positions", "boolean(//*[last()]/x[last()])"},
    {"attributes", "boolean(//a[@k = 'x'])"},
    {"comparison with a string", "a = 'x'"},
    {"comparison with a number", "a = -1"},
    {"order", "a < -1"},
    {"equal sets", "a = b"},
    {"unequal sets", "//a/@k != //a/@k[1 = 2]"},
    {"numbers", "sum(a) = -1"},
    {"arithmetic", "boolean(//a[(. + 1) * 2 - 3 div 4 = -7])"},
    {"rounding", "boolean(//a[round(. div 7) + floor(.) = -7])"},
    {"search", "boolean(//a[contains(., 'xyz')])"},
    {"search in a long text", "contains(/, 'xyz')"},
    {"prefixes", "boolean(//a[starts-with(., 'xyz')])"},
    {"lengths", "boolean(//a[string-length(.) = 77])"},
    {"length of a long text", "string-length(/) = 7"},
    {"substrings", "boolean(//a[substring(., 1, 2) = 'x'])"},
    {"concatenation", "boolean(//a[concat(., .) = 'x'])"},
    {"spaces", "boolean(//a[normalize-space(.) = 'x'])"},
    {"translation", "boolean(//a[translate(., '12', '34') = 'x'])"},
    {"translation by a changing table", "boolean(//a[translate(., @k, '34') = 'x'])"},
    {"numbers as strings", "boolean(//a[string(. + 1) = 'x'])"},
    {"names of nodes", "boolean(//*[name() = 'x'])"},
    {"namespaces", "boolean(//*[namespace-uri() = 'x'])"},
    {"languages", "boolean(//a[lang('en')])"},
    {"union of large sets", "count(//a | //b) = 7"},
    {"variables at many nodes", "boolean(//a[. = $category])"},
};

std::string numbered(const Priced& work, std::size_t number) {
    std::string text = work.text;
    for (std::size_t at = text.find("{}"); at != text.npos; at = text.find("{}"))
        text.replace(at, 2, std::to_string(number));
    return text;
}

std::string priced_document(bool is_tiny) {
    std::string xml = "<rss xmlns:n='urn:n'><channel><item><title>t</title><category>c</category>";
    for (int i = 0; i < (is_tiny ? 2 : 10'000); ++i) {
        const std::string n = std::to_string(i);
        xml += "<a k='" + n + "'>" + n + "</a><b>b " + n + "</b>";
    }
    return xml + "</item></channel></rss>";
}

// Nanoseconds per step.
double price(const Priced& work) {
    const std::size_t conditions = work.is_tiny ? 2'000 : 1;
    std::vector<std::shared_ptr<const engine::ScannedCondition>> list;
    for (std::size_t i = 0; i < conditions; ++i) list.push_back(make_condition(numbered(work, i)));
    list.push_back(make_condition("string-length(/) = 0"));  // reads all texts, which the document pays for
    ScannedLeaves leaves;
    leaves.assign(list);
    const std::string xml = priced_document(work.is_tiny);
    std::vector<double> ns;
    std::uint64_t steps = 0;
    for (int i = 0; i < rounds; ++i) {
        const std::vector<Event> events = events_of(parse(xml));
        leaves.holds(conditions, events[0]);
        steps = 0;
        Watch watch;
        watch.run([&] {
            for (std::size_t leaf = 0; leaf < conditions; ++leaf) {
                leaves.holds(leaf, events[0]);
                steps += leaves.last_steps();
            }
        });
        ns.push_back(watch.us() * 1000 / static_cast<double>(steps));
    }
    std::printf("price\t%s\t%s\t%llu\t%.2f\n", work.kind, work.text, static_cast<unsigned long long>(steps),
                median(ns));
    return median(ns);
}

void compare_prices() {
    std::vector<double> prices;
    for (const Priced& work : works) prices.push_back(price(work));
    const auto [least, greatest] = std::minmax_element(prices.begin(), prices.end());
    std::printf("prices\t%.2f\t%.2f\t%.2f\n", *least, *greatest, *greatest / *least);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> feeds;
    for (int i = 1; i < argc; ++i) {
        std::ifstream in(argv[i], std::ios::binary);
        std::string text(std::istreambuf_iterator<char>(in), {});
        const auto document = parse_document(text, DocumentOptions());
        if (document && !(*document)->items().empty()) feeds.push_back(std::move(text));
    }
    if (!feeds.empty()) compare(feeds);
    for (const char* text : {"boolean(//a[@k = 'x'])", "a = b",
                             "boolean(a/following-sibling::a/following-sibling::a/following-sibling::a[. = 'x'])"})
        for (const std::size_t nodes : {1'000u, 10'000u, 100'000u}) grow(text, nodes);
    compare_prices();
    return 0;
}
