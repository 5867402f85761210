#include "protocol/feed/values/scanned_leaves.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>

#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/parse.hpp"
#include "protocol/filter/evaluator/meter.hpp"
#include "tests/support/conditions.hpp"
#include "tests/support/tree_document.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

const std::string shop =
    "<rss><channel><title>T</title><item><title>A</title><p>1</p><p>5</p></item><item><title>B</title><category>x"
    "</category><category>y</category></item><item><title>A</title></item></channel></rss>";

Event item(std::size_t index) {
    static const auto document = std::make_shared<TreeDocument>(shop, "/rss/channel/item", FeedFormat::rss);
    return {document, index, std::make_shared<const std::string>("news"), index + 1};
}

using Conditions = std::vector<std::shared_ptr<const engine::ScannedCondition>>;

// "test title = 'A'", "select //item[2]".
std::shared_ptr<const engine::ScannedCondition> condition(std::string_view key, std::size_t parents = 0) {
    const bool selects = key.starts_with("select ");
    return make_condition(key.substr(key.find(' ') + 1),
                          selects ? xpath::Condition::Form::selection : xpath::Condition::Form::test, parents);
}

Conditions conditions(std::initializer_list<std::string_view> keys) {
    Conditions list;
    for (const std::string_view key : keys) list.push_back(condition(key));
    return list;
}

// The answers for items 0, 1 and 2.
std::string holds(std::string_view key) {
    ScannedLeaves leaves;
    leaves.assign(conditions({key}));
    std::string answers;
    for (std::size_t i = 0; i < 3; ++i) answers += leaves.holds(0, item(i)).value() ? '1' : '0';
    return answers;
}

}  // namespace

TEST_CASE("a test is the boolean value at the event's element") {
    CHECK(holds("test title = 'A'") == "101");
    CHECK(holds("test p[2] > 4") == "100");
    CHECK(holds("test count(p)") == "100");          // a number
    CHECK(holds("test string(category)") == "010");  // a string
    CHECK(holds("test category") == "010");          // a node-set
    CHECK(holds("test ../title = 'T'") == "111");
    CHECK(holds("test preceding-sibling::item") == "011");
}

TEST_CASE("a select holds for the elements of its node-set") {
    CHECK(holds("select //item[title='A']") == "101");
    CHECK(holds("select //item[2]") == "010");
    CHECK(holds("select //item[last()]") == "001");
    CHECK(holds("select /rss/channel/item[position() < 3][title='A']") == "100");
    CHECK(holds("select //title") == "000");
    CHECK(holds("select //item[title='A'] | //item[2]") == "111");
}

TEST_CASE("variables are node-sets") {
    CHECK(holds("test $title = 'A'") == "101");
    CHECK(holds("test count($category) = 2") == "010");
    CHECK(holds("test $category = 'y' and $stream = 'news'") == "010");
    CHECK(holds("test concat($title, $stream) = 'Bnews'") == "010");
    CHECK(holds("test $feed_title = 'T'") == "111");
    CHECK(holds("select //item[title = $title][2]") == "001");
    CHECK(holds("test number($published)") == "000");
}

TEST_CASE("a leaf without a condition of ours holds for nothing") {
    struct Foreign final : engine::ScannedCondition {};
    ScannedLeaves leaves;
    leaves.assign(Conditions{nullptr, std::make_shared<const Foreign>()});
    CHECK_FALSE(leaves.holds(0, item(0)).value());
    CHECK_FALSE(leaves.holds(1, item(0)).value());
}

TEST_CASE("leaves keep their meaning when others come and go") {
    ScannedLeaves leaves;
    leaves.assign(conditions({"test title = 'A'", "select //item[2]"}));
    CHECK(leaves.holds(0, item(0)).value());
    CHECK(leaves.holds(1, item(1)).value());
    leaves.assign(conditions({"select //item[2]", "test p = 5", "test title = 'A'"}));
    CHECK_FALSE(leaves.holds(0, item(0)).value());
    CHECK(leaves.holds(0, item(1)).value());
    CHECK(leaves.holds(1, item(0)).value());
    CHECK(leaves.holds(2, item(2)).value());
}

TEST_CASE("the node-set of a document is not that of another, in one batch or the next") {
    ScannedLeaves leaves;
    leaves.assign(conditions({"select //item[title='A']"}));
    for (int batch = 0; batch < 100; ++batch) {
        CHECK(leaves.holds(0, tree_event("<r><item><title>A</title></item></r>", "//item")).value());
        CHECK_FALSE(leaves.holds(0, tree_event("<r><item><title>B</title></item></r>", "//item")).value());
        if (batch % 3 == 0) leaves.end_batch();
    }
}

TEST_CASE("variables have each event's values, in parts that are kept, too") {
    ScannedLeaves leaves;
    leaves.assign(conditions({"test p[count($title[. = 'A']) = 1]", "test count($category[position() = 2]) = 1"}));
    for (int round = 0; round < 2; ++round) {
        CHECK(leaves.holds(0, item(0)).value());
        CHECK_FALSE(leaves.holds(0, item(1)).value());
        CHECK_FALSE(leaves.holds(1, item(0)).value());
        CHECK(leaves.holds(1, item(1)).value());
    }
}

namespace {

// `items` items with different titles.
DocumentPtr numbered(std::size_t items) {
    std::string xml = "<r>";
    for (std::size_t i = 0; i < items; ++i) xml += "<item><title>" + std::to_string(i) + "</title></item>";
    return std::make_shared<TreeDocument>(xml + "</r>", "//item");
}
Event event_of(const DocumentPtr& document, std::size_t index = 0) {
    return {document, index, std::make_shared<const std::string>("news"), index + 1};
}
// Counts the steps of each leaf since begin_batch().
class CountedLeaves : public ScannedLeaves {
public:
    using ScannedLeaves::ScannedLeaves;

    std::optional<bool> holds(std::size_t leaf, const Event& event) {
        const std::optional<bool> answer = ScannedLeaves::holds(leaf, event);
        steps_[leaf] += last_steps();
        return answer;
    }
    void begin_batch() {
        ScannedLeaves::begin_batch();
        steps_.clear();
    }
    std::uint64_t cost(std::size_t leaf) const {
        const auto found = steps_.find(leaf);
        return found == steps_.end() ? 0 : found->second;
    }

private:
    std::map<std::size_t, std::uint64_t> steps_;
};

}  // namespace

TEST_CASE("a condition over its budget is undecided for the document, and others are not") {
    CountedLeaves leaves({.condition_steps_max = 100'000});
    leaves.assign(conditions({"select //item[not(title = preceding-sibling::item/title)]", "test //title = //title"}));
    const DocumentPtr small = numbered(20), large = numbered(1000);
    CHECK(leaves.holds(0, event_of(small)).value());
    CHECK_FALSE(leaves.holds(0, event_of(large)));
    CHECK(leaves.holds(1, event_of(large)).value());
    CHECK(leaves.cost(0) > 100'000);
    leaves.end_batch();
    leaves.begin_batch();
    CHECK_FALSE(leaves.holds(0, event_of(large, 7)));
    CHECK(leaves.cost(0) == 0);  // not begun again
    CHECK(leaves.holds(0, event_of(small)).value());
    CHECK(leaves.cost(0) == 0);  // known already
    CHECK(leaves.holds(1, event_of(large, 9)).value());
}

TEST_CASE("what is costly elsewhere ends at its budget, to the step") {
    const auto times = [](const std::string& text, std::size_t n) {
        std::string all;
        for (; n > 0; --n) all += text;
        return all;
    };
    const std::string letters = times("<a>xxxxxxx</a>", 9'000), pairs = times("<a>x</a><b>y</b>", 4'900);
    const std::string chain = "boolean(a" + times("/following-sibling::a", 90) + "[. = 'q'])";
    const auto [text, content, is_linear] = GENERATE_COPY(table<std::string, std::string, bool>({
        {"boolean(//a[string-length(/) = string-length(.)])", letters, true},
        {chain, times("<a/>", 3'000), true},
        {"boolean(a/following-sibling::a/following-sibling::a[. = 'q'])", times("<a/>", 9'500), true},
        {"a = b", pairs, true},
        {"a < b", pairs, true},
        {"translate(., '" + times("abcdefgh", 400) + "', '') = 'x'", times("z", 300'000), true},
        {"boolean(//*[string-length(.) = 7])", times("<a>", 200) + letters + times("</a>", 200), true},
        {"boolean(//a[count(preceding::a) = 7777])", letters, false},
        {"string-length(concat(" + times(".,", 20) + ".)) = 7", times("z", 10'000), true},
    }));
    INFO(text.substr(0, 60));
    const DocumentPtr document = std::make_shared<TreeDocument>("<r><i>" + content + "</i></r>", "/r/i");
    for (const std::uint64_t budget : {1'000u, 20'000u}) {
        CountedLeaves leaves({.condition_steps_max = budget});
        leaves.assign(conditions({"test " + text}));
        CHECK_FALSE(leaves.holds(0, event_of(document)));
        CHECK(leaves.cost(0) == budget);
    }
    // So the default budget suffices for what is linear.
    CountedLeaves leaves({.condition_steps_max = 20'000'000});
    leaves.assign(conditions({"test " + text}));
    CHECK(leaves.holds(0, event_of(document)).has_value() == is_linear);
}

TEST_CASE("short documents have a smaller budget") {
    std::string xml = "<r>";
    for (int i = 0; i < 200; ++i) xml += "<item><title>" + std::to_string(i) + "</title></item>";
    const DocumentPtr document = parse_document(xml + "</r>", {}).value();
    std::size_t bytes = 0;
    for (const Item& item : document->items()) bytes += item.source.size();
    const auto decides = [&](std::size_t full_budget_bytes) {
        ScanLimits limits;
        limits.condition_steps_max = 2'000'000;
        limits.full_budget_bytes = full_budget_bytes;
        ScannedLeaves leaves(limits);
        leaves.assign(conditions({"select //item[not(title = preceding-sibling::item/title)]"}));
        return leaves.holds(0, event_of(document)).has_value();
    };
    CHECK(decides(0));
    CHECK(decides(bytes));
    CHECK(decides(2 * bytes));
    CHECK_FALSE(decides(1'000 * bytes));
}

TEST_CASE("the items of a document share a condition's budget, and what is found before stays") {
    CountedLeaves leaves({.condition_steps_max = 3'000});
    leaves.assign(conditions({"test count(preceding-sibling::item) > 5"}));
    DocumentPtr document = numbered(200);
    std::size_t decided = 0;
    for (std::size_t i = 0; i < 200; ++i) decided += leaves.holds(0, event_of(document, i)).has_value() ? 1u : 0u;
    CHECK(decided > 20);
    CHECK(decided < 150);
    leaves.end_batch();
    leaves.begin_batch();
    CHECK(leaves.holds(0, event_of(document, 3)) == false);
    CHECK(leaves.holds(0, event_of(document, 7)) == true);
    CHECK_FALSE(leaves.holds(0, event_of(document, 190)).has_value());
    CHECK(leaves.cost(0) == 0);
    document.reset();
    leaves.end_batch();
    CHECK(leaves.bytes() == 0);
    CHECK_FALSE(leaves.holds(0, event_of(numbered(200), 3)).value());
}

TEST_CASE("all conditions of a document share its budget") {
    const DocumentPtr document = numbered(500);
    ScannedLeaves leaves({.document_steps_max = 40'000});
    Conditions list;
    for (int i = 0; i < 20; ++i) list.push_back(condition("test count(//item) > " + std::to_string(i)));
    leaves.assign(list);
    std::size_t decided = 0;
    for (std::size_t i = 0; i < list.size(); ++i) decided += leaves.holds(i, event_of(document)).has_value() ? 1u : 0u;
    CHECK(decided >= 1);
    CHECK(decided < list.size());
    CHECK(leaves.holds(0, event_of(document, 1)).value());  // the same as for the first item
    CHECK(leaves.holds(0, event_of(numbered(500))).value());
}

TEST_CASE("all conditions of an owner share its budget, and others are not concerned") {
    const DocumentPtr document = numbered(500);
    Conditions list;
    for (int i = 0; i < 20; ++i) list.push_back(condition("test count(//item) > " + std::to_string(i)));
    // Both share the last but one; the last belongs to the other owner, all the rest to the first.
    const ScanOwner both[] = {1, 2};
    const auto owners_of = [&](std::size_t leaf) -> std::span<const ScanOwner> {
        if (leaf == list.size() - 2) return both;
        return {leaf == list.size() - 1 ? &both[1] : &both[0], 1};
    };
    ScannedLeaves leaves({.owner_steps_max = 20'000}, {}, {.of = owners_of, .count = {}, .version = {}});
    leaves.assign(list);
    std::size_t decided = 0;
    for (std::size_t i = 0; i < 18; ++i) decided += leaves.holds(i, event_of(document)).has_value() ? 1u : 0u;
    CHECK(decided >= 1);
    CHECK(decided < 18);
    CHECK(leaves.holds(0, event_of(document, 1)).value());    // known already
    CHECK(leaves.holds(18, event_of(document)).has_value());  // since the other owner can pay
    CHECK(leaves.holds(19, event_of(document)).has_value());
    CHECK(leaves.holds(17, event_of(numbered(500))).has_value());
}

TEST_CASE("half of a document's budget is shared equally by all owners, whoever comes first") {
    const DocumentPtr document = numbered(500);
    Conditions list;
    for (int i = 0; i < 40; ++i) list.push_back(condition("test count(//item) > " + std::to_string(i)));
    // The last belongs to the modest owner, all the others to the greedy one, who comes first.
    const ScanOwner greedy = 1, modest = 2;
    const auto owners_of = [&](std::size_t leaf) -> std::span<const ScanOwner> {
        return {leaf == list.size() - 1 ? &modest : &greedy, 1};
    };
    const auto decided = [&](std::size_t owners) {
        ScannedLeaves leaves({.document_steps_max = 40'000}, {},
                             {.of = owners_of, .count = [&] { return owners; }, .version = {}});
        leaves.assign(list);
        std::size_t n = 0;
        std::uint64_t steps = 0;
        for (std::size_t i = 0; i < list.size() - 1; ++i) {
            n += leaves.holds(i, event_of(document)).has_value() ? 1u : 0u;
            steps += leaves.last_steps();
        }
        const bool is_decided = leaves.holds(list.size() - 1, event_of(document)).has_value();
        CHECK(steps + leaves.last_steps() <= 40'000);
        return std::pair(n, is_decided);
    };
    const auto [all, left] = decided(0);
    const auto [half, share] = decided(2);
    CHECK_FALSE(left);
    CHECK(share);
    CHECK(half >= 1);
    CHECK(half < all);
    CHECK_FALSE(decided(1'000).second);  // a share that does not suffice
}

TEST_CASE("what is the same for all items of a document is found once") {
    const DocumentPtr document = numbered(300);
    CountedLeaves leaves;
    Conditions list =
        conditions({"select //item[position() mod 2 = 1]", "test count(//title) > 5", "test title = //title[. > 7]"});
    list.push_back(condition("test count(item) > 100", 1));
    leaves.assign(list);
    for (std::size_t leaf = 0; leaf < list.size(); ++leaf) leaves.holds(leaf, event_of(document));
    std::vector<std::uint64_t> first;
    for (std::size_t leaf = 0; leaf < list.size(); ++leaf) first.push_back(leaves.cost(leaf));
    leaves.end_batch();
    leaves.begin_batch();
    for (std::size_t i = 0; i < 300; ++i) {
        CHECK(leaves.holds(0, event_of(document, i)).value() == (i % 2 == 0));
        CHECK(leaves.holds(1, event_of(document, i)).value());
        CHECK(leaves.holds(2, event_of(document, i)).value() == (i > 7));
        CHECK(leaves.holds(3, event_of(document, i)).value());
    }
    for (std::size_t leaf = 0; leaf < list.size(); ++leaf) {
        INFO(leaf);
        CHECK(first[leaf] > 300);
        CHECK(leaves.cost(leaf) < 300 * 100);
    }
    CHECK(leaves.cost(0) == 0);
    CHECK(leaves.cost(3) == 0);
}

TEST_CASE("memory is bounded, of an evaluation and of what is kept") {
    const DocumentPtr document = numbered(5000);
    ScannedLeaves leaves({.bytes_max = 10'000});
    leaves.assign(conditions({"test count(//title | //item) > 5", "test count(//title) > 5"}));
    CHECK_FALSE(leaves.holds(0, event_of(document)));
    CHECK(leaves.holds(1, event_of(document)).value());
}

TEST_CASE("the hook is called within long evaluations, and ends them by an exception that costs nothing else") {
    const DocumentPtr document = numbered(2000);
    std::size_t calls = 0;
    bool throws = true;
    ScannedLeaves leaves({}, [&] {
        if (++calls == 3 && throws) throw std::runtime_error("interrupted");
    });
    leaves.assign(conditions({"test title = //title[not(. = following::title)]", "test count(//item) > 1"}));
    CHECK_THROWS_AS(leaves.holds(0, event_of(document, 1999)), std::runtime_error);
    throws = false;
    CHECK(leaves.holds(1, event_of(document)).value());
    CHECK(leaves.holds(0, event_of(document, 1999)).value());
    CHECK(calls > 3);
}

TEST_CASE("a condition pays for no text that another one would have had to read") {
    const DocumentPtr document =
        std::make_shared<TreeDocument>("<r><item>some <b>text</b>, and <i>more</i></item><item/></r>", "//item");
    std::vector<std::uint64_t> costs;
    for (const bool swapped : {false, true}) {
        CountedLeaves leaves;
        leaves.assign(conditions({"test contains(., 'text')", "test string-length(//b/..) > 3"}));
        for (const std::size_t leaf : {swapped ? 1u : 0u, swapped ? 0u : 1u})
            CHECK(leaves.holds(leaf, event_of(document)).value());
        for (const std::size_t leaf : {0u, 1u}) costs.push_back(leaves.cost(leaf));
    }
    CHECK(costs[0] == costs[2]);
    CHECK(costs[1] == costs[3]);
}

namespace {

// Conditions that find nothing, each with names of its own.
Conditions cheap(std::size_t n) {
    Conditions list;
    for (std::size_t i = 0; i < n; ++i)
        list.push_back(condition("test boolean(following::x" + std::to_string(i) + ")"));
    return list;
}

constexpr std::uint64_t begun = xpath::steps_per_condition + xpath::steps_per_evaluation + xpath::steps_per_name;
constexpr ScanOwner greedy = 1, modest = 2;

// The last of `leaves` conditions belongs to the modest owner, all others to the greedy one. Counts the questions.
ScannedLeaves::Owners two_owners(std::size_t leaves, std::size_t& questions) {
    const auto of = [leaves, &questions](std::size_t leaf) -> std::span<const ScanOwner> {
        ++questions;
        return {leaf == leaves - 1 ? &modest : &greedy, 1};
    };
    return {of, [] { return std::size_t{2}; }, [] { return std::uint64_t{1}; }};
}

}  // namespace

TEST_CASE("a condition that finds nothing costs what beginning it costs") {
    const DocumentPtr document = numbered(1);
    ScannedLeaves leaves;
    leaves.assign(cheap(2));
    CHECK(leaves.holds(0, event_of(document)) == false);
    CHECK(leaves.last_steps() >= begun);
    CHECK(leaves.last_steps() <= 500);
    const std::uint64_t first = leaves.last_steps();
    CHECK(leaves.holds(1, event_of(document)) == false);
    CHECK(leaves.last_steps() == first);
    CHECK(leaves.holds(1, event_of(document)) == false);
    CHECK(leaves.last_steps() == 0);  // known
}

TEST_CASE("many cheap conditions exhaust their owner's budget, and its further ones cost nothing") {
    const std::size_t n = 2'000;
    std::size_t questions = 0;
    ScannedLeaves leaves({.owner_steps_max = 100'000}, {}, two_owners(n, questions));
    const auto list = std::make_shared<const Conditions>(cheap(n));
    leaves.assign(list);
    for (int document = 0; document < 3; ++document) {
        const Event event = event_of(numbered(1));
        std::vector<std::optional<bool>> answers;
        std::size_t evaluated = 0, decided = 0;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            answers.push_back(leaves.holds(i, event));
            evaluated += leaves.last_steps() > 0 ? 1u : 0u;
            decided += answers.back() ? 1u : 0u;
        }
        CHECK(evaluated >= 100'000 / 500);
        CHECK(evaluated <= 100'000 / begun);
        CHECK(decided == evaluated);                 // the rest is refused before it begins
        CHECK(leaves.holds(n - 1, event) == false);  // the other owner's
        for (std::size_t i = 0; i + 1 < n; ++i) {
            CHECK(leaves.holds(i, event) == answers[i]);
            CHECK(leaves.last_steps() == 0);
        }
    }
    CHECK(questions == n);  // each leaf's owners are looked up once
    leaves.assign(nullptr);
    leaves.assign(list);
    leaves.holds(0, event_of(numbered(1)));
    CHECK(questions == n);
    leaves.assign(cheap(n));
    leaves.holds(0, event_of(numbered(1)));
    CHECK(questions == n + 1);
}

TEST_CASE("a document's budget ends for those who came first, while the others have their shares") {
    const std::size_t n = 2'000;
    std::size_t questions = 0, evaluated = 0;
    ScannedLeaves leaves({.document_steps_max = 200'000}, {}, two_owners(n, questions));
    leaves.assign(cheap(n));
    const Event event = event_of(numbered(1));
    for (std::size_t i = 0; i + 1 < n; ++i) {
        leaves.holds(i, event);
        evaluated += leaves.last_steps() > 0 ? 1u : 0u;
    }
    CHECK(evaluated <= 100'000 / begun);
    CHECK(leaves.holds(n - 1, event) == false);
    CHECK_FALSE(leaves.holds(n - 2, event));
}

TEST_CASE("the values of the variables are read once for all conditions of a batch") {
    ScannedLeaves leaves;
    leaves.assign(conditions({"test $title = 'A'", "test $title = 'B'", "test count($category) = 2"}));
    std::vector<std::uint64_t> steps;
    for (const bool by_event : {false, true}) {
        for (std::size_t i = 0; i < 9; ++i) {
            const std::size_t leaf = by_event ? i % 3 : i / 3, index = by_event ? i / 3 : i % 3;
            const bool expected = leaf == 2 ? index == 1 : (index == 1) == (leaf == 1);
            CHECK(leaves.holds(leaf, item(index)) == expected);
            if (leaf == 0) steps.push_back(leaves.last_steps());
        }
    }
    CHECK(steps[1] > xpath::steps_per_binding);
    CHECK(steps[1] == steps[4]);  // whichever came first
}

TEST_CASE("answers are kept by item, however many there are") {
    ScannedLeaves leaves;
    leaves.assign(conditions({"test title mod 3 = 1", "select //item[title mod 5 = 2]"}));
    const DocumentPtr document = numbered(200);
    for (const bool again : {false, true}) {
        for (std::size_t k = 0; k < 200; ++k) {
            const std::size_t i = k * 77 % 200;
            CHECK(leaves.holds(0, event_of(document, i)) == (i % 3 == 1));
            CHECK((leaves.last_steps() == 0) == again);
            CHECK(leaves.holds(1, event_of(document, i)) == (i % 5 == 2));
            CHECK((leaves.last_steps() == 0) == (again || k > 0));
        }
    }
}
