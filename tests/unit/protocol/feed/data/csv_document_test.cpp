#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;
using Strings = std::vector<std::string>;

namespace {

DocumentOptions csv(const char* type = "text/csv") { return {type, "", {}}; }

// The rows' fields: "a=1 b=2".
Strings rows(const DocumentPtr& document) {
    Strings rows;
    for (const Item& item : document->items()) {
        std::string& row = rows.emplace_back();
        for (const TreeNode field : item.element.children())
            row.append(row.empty() ? "" : " ").append(field.name()).append("=").append(field.child_value());
    }
    return rows;
}

}  // namespace

TEST_CASE("CSV: a header line, and an event for each row") {
    CHECK(rows(parsed("a,b\r\n1,2\r\n3,4\r\n", csv())) == Strings{"a=1 b=2", "a=3 b=4"});
    CHECK(rows(parsed("\xEF\xBB\xBF\n a , my b\n1, 2 \n\n3,4", csv())) == Strings{"a=1 my_b= 2 ", "a=3 my_b=4"});
    CHECK(rows(parsed("a\r1\r2", csv())) == Strings{"a=1", "a=2"});
    CHECK(rows(parsed("a,b\n,\n\"\",x\n", csv())) == Strings{"a= b=", "a= b=x"});
    CHECK(rows(parsed("a,b\n\"1,\"\"x\"\"\r\ny\",\"\"\"\"\n2,3", csv())) == Strings{"a=1,\"x\"\r\ny b=\"", "a=2 b=3"});
    CHECK(rows(parsed("a,a\n1,2\n", csv())) == Strings{"a=1 a=2"});
    CHECK(rows(parsed("\"a,\"\"b\",\"\"\n1,2\n", csv())) == Strings{"a__b=1 _=2"});
    CHECK(rows(parsed("na\xEFve\n\xE9\n", csv("text/csv; charset=iso-8859-1"))) == Strings{"na\xC3\xAFve=\xC3\xA9"});
    const DocumentPtr document = parsed("a,b\n\"x\ny\",2\r\n3,4", csv());
    CHECK(sources(document) == Strings{"\"x\ny\",2", "3,4"});
    CHECK(document->head() == "a,b\n");
    CHECK(document->format() == FeedFormat::data);
}

TEST_CASE("CSV without rows, without a header line, and empty") {
    CHECK(parsed("a,b", csv())->items().empty());
    CHECK(parsed("a,b\r\n", csv())->items().empty());
    CHECK(rows(parsed("1,2\n3,4\n", csv("text/csv; header=absent"))) == Strings{"c1=1 c2=2", "c1=3 c2=4"});
    CHECK(parsed("", csv("text/csv; header=absent"))->items().empty());
    CHECK(refused("", csv()).message == "CSV begins with a header line that names the columns");
    CHECK(refused("\n\r\n", csv()).message == "CSV begins with a header line that names the columns");
    CHECK(refused("a,\"b\n1,2\n", csv()).message == "not CSV: a quoted field has no closing quote");
}

TEST_CASE("CSV: quotes are read as Python's csv module reads them") {
    const std::pair<const char*, Strings> cases[] = {
        {"a\"b,c", {"c1=a\"b c2=c"}},
        {"\"a\"b,c", {"c1=ab c2=c"}},
        {"\"a\"b\"c\",d", {"c1=ab\"c\" c2=d"}},
        {"\"a\" ,b", {"c1=a  c2=b"}},
        {" \"a\",b", {"c1= \"a\" c2=b"}},
        {"\"a\"\"b\"c,d", {"c1=a\"bc c2=d"}},
        {"\"a\"\tb,c", {"c1=a\tb c2=c"}},
        {"a\"\"b,c", {"c1=a\"\"b c2=c"}},
        {"\"\",b", {"c1= c2=b"}},
        {"\"\"\"a\"\"\",b", {"c1=\"a\" c2=b"}},
        {"\"a,b\"c,d", {"c1=a,bc c2=d"}},
        {"\"a\nb\"c,d", {"c1=a\nbc c2=d"}},
    };
    for (const auto& [text, expected] : cases) {
        CAPTURE(text);
        CHECK(rows(parsed(text, csv("text/csv; header=absent"))) == expected);
    }
}

TEST_CASE("CSV: the header line shows what separates fields") {
    CHECK(rows(parsed("a;b\n1,5;2\n", csv())) == Strings{"a=1,5 b=2"});
    CHECK(rows(parsed("a\tb\n1,5\t2;3\n", csv())) == Strings{"a=1,5 b=2;3"});
    CHECK(rows(parsed("a;b;c,d\n1;2;3\n", csv())) == Strings{"a=1 b=2 c_d=3"});
    CHECK(rows(parsed("a,b;c\n1,2\n", csv())) == Strings{"a=1 b_c=2"});
    CHECK(rows(parsed("\"a;b;c\",d\n1,2\n", csv())) == Strings{"a_b_c=1 d=2"});
    CHECK(rows(parsed("\"a\";\"b\"\n\"1;2\";3\n", csv())) == Strings{"a=1;2 b=3"});
    CHECK(rows(parsed("\xEF\xBB\xBF\na;b\n1;2\n", csv())) == Strings{"a=1 b=2"});
    CHECK(rows(parsed("a\n1;2\n", csv())) == Strings{"a=1;2"});
    CHECK(rows(parsed("sep=;\r\na,b;c\r\n1,2;3\r\n", csv())) == Strings{"a_b=1,2 c=3"});
    CHECK(rows(parsed("\xEF\xBB\xBFSEP=|\na|b\n1|2\n", csv())) == Strings{"a=1 b=2"});
    CHECK(rows(parsed("sep=;\n1;2\n", csv("text/csv; header=absent"))) == Strings{"c1=1 c2=2"});
    CHECK(parsed("sep=;\n1;2\n", csv("text/csv; header=absent"))->head() == "sep=;\n");
    CHECK(rows(parsed("sep\n1\n", csv())) == Strings{"sep=1"});
    CHECK(rows(parsed("1;2\n", csv("text/csv; header=absent"))) == Strings{"c1=1;2"});
    CHECK(rows(parsed("a,b;c\td\n1\t2\n", csv("text/tab-separated-values"))) == Strings{"a_b_c=1 d=2"});
}

TEST_CASE("CSV: an error page is refused, not read as a table with one column") {
    for (const char* page : {"<!DOCTYPE html>\n<html>\n<body>\n", "\xEF\xBB\xBF\r\n <html>\n<h1>404</h1>\n"}) {
        const FeedError fault = refused(page, csv());
        CHECK(fault.kind == FeedError::Kind::not_a_feed);
        CHECK(fault.message == "the document is a page of HTML, or XML, not CSV");
    }
    CHECK(rows(parsed("<unknown>,1\n", csv("text/csv; header=absent"))) == Strings{"c1=<unknown> c2=1"});
}

TEST_CASE("CSV: a bad row is refused without its neighbours") {
    for (const char* bad : {"1", "1,2,3", "1;2", "\"1,2\"3", "1\t2"}) {
        const DocumentPtr document = parsed("a,b\n1,2\n" + std::string(bad) + "\n3,4\n", csv());
        CAPTURE(bad);
        CHECK(rows(document) == Strings{"a=1 b=2", "a=3 b=4"});
        REQUIRE(document->refusals().count == 1);
        CHECK(document->refusals().first[0].index == 1);
        CHECK(document->refusals().first[0].error.line == 3);
    }
    const DocumentPtr open = parsed("a,b\n1,2\n3,\"4\n5,6\n", csv());
    CHECK(rows(open) == Strings{"a=1 b=2"});
    CHECK(open->refusals().first[0].error.line == 3);
    CHECK(open->refusals().first[0].error.column == 3);
    CHECK(refused("a,b\n1\n", csv()).message == "the row has 1 fields, but there are 2 columns");
}

TEST_CASE("CSV within the limits") {
    DocumentOptions options = csv();
    options.limits.item_values_max = 4;
    CHECK(parsed("a,b,c\n1,2,3\n", options)->items().size() == 1);
    CHECK(refused("a,b,c,d\n1,2,3,4\n", options).message ==
          "the item that begins here has more values than limits.values_per_event (4)");
    CHECK(refused("a,b,c,d,e\n1,2,3,4,5\n", options).kind == FeedError::Kind::not_well_formed);
    options.limits.items_max = 2;
    CHECK(refused("a\n1\n2\n3\n", options).message == "the document has more items than limits.items (2)");
    const std::string huge(1'000'000, 'x');
    CHECK(text_at(parsed("a\n\"" + huge + "\"\n", csv()), "//a") == huge);
    std::string wide(5'000, ',');
    std::string text = wide + std::string(10'000, 'n') + "\n";
    for (int i = 0; i < 100; ++i) text += wide + "\n";
    CHECK(refused(text, csv()).kind == FeedError::Kind::limit);
}
