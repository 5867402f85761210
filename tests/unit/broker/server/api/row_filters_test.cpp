// What users with row filters get of events, compared with a model that knows each event's fields: live, replayed, by
// trying filters on the past, by asking why, and in the list of streams.
#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "broker/core/delivery/event_format.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/core/replay/replay.hpp"
#include "broker/server/api/filter_compiler.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/endpoints.hpp"
#include "broker/server/net/peer_watch.hpp"
#include "broker/store/event_log.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/seed.hpp"
#include "tests/unit/broker/core/delivery/plain_framer.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
namespace asio = boost::asio;
namespace json = boost::json;

namespace {

auth::ReadGrant granted(const std::string& pattern, const std::string& row_filter = "") {
    auth::ReadGrant grant{text::StreamSelection({&pattern, 1})};
    if (row_filter.empty()) return grant;
    auto filter = filter::compile_filter(row_filter).value();
    grant.filter = std::make_shared<const auth::RowFilter>(
        auth::RowFilter{row_filter, filter.canonical, std::move(filter.disjunction)});
    return grant;
}

auth::UserPtr reader_of(std::vector<auth::ReadGrant> grants) {
    return std::make_shared<const auth::User>("reader", auth::Rights{.subscribe = std::move(grants)});
}

// A broker whose endpoints any user can ask.
class Asked {
public:
    struct Answer {
        unsigned status = 0;
        std::string body;
        json::value value{};
    };

    explicit Asked(std::vector<std::string> overrides = {}) : running_(std::move(overrides)) {}

    server::Services& services() { return running_.broker.services(); }

    Answer ask(const auth::UserPtr& user, server::http::verb method, const std::string& target, std::string body = {},
               const std::string& content_type = "application/json") {
        auto parsed = wire::parse_target(target).value();
        server::HeadFields headers;
        headers.set(server::http::field::content_type, content_type);
        server::Principal principal(asio::ip::address_v4::loopback());
        principal.account = user;
        const server::FoundEndpoint found = server::find_endpoint(method, parsed.path);
        if (auto refusal = server::refuse_unless_permitted(found.endpoint->needs, principal, found.name))
            return answer_of(*refusal);
        server::HttpRequest request;
        request.method = method;
        request.path = parsed.path;
        request.name = found.name;
        request.part = found.part;
        request.headers = &headers;
        request.query = std::move(parsed.query);
        request.body = std::move(body);
        request.principal = &principal;
        request.departure = std::make_shared<server::Departure>();
        request.memory = services().memory.force_charge(base::MemoryUse::bodies, request.body.size());
        io_.restart();
        const auto guard = asio::make_work_guard(io_);
        Answer answer;
        asio::co_spawn(io_, found.endpoint->handler(services(), request),
                       [&](const std::exception_ptr& failure, const server::HttpReply& reply) {
                           if (failure) std::rethrow_exception(failure);
                           answer = answer_of(reply);
                           io_.stop();
                       });
        io_.run();
        return answer;
    }
    Answer get(const auth::UserPtr& user, const std::string& target) {
        return ask(user, server::http::verb::get, target);
    }
    Answer match(const auth::UserPtr& user, const std::string& stream, const std::string& filter) {
        return ask(user, server::http::verb::post, "/v1/match",
                   json::serialize(json::value{{"filter", filter}, {"stream", stream}, {"since", "1h"}}));
    }
    // Publishes RSS items, and returns the first one's id.
    std::uint64_t publish(const std::string& stream, const std::vector<std::string>& items) {
        const Answer answer = ask(auth::everybody(), server::http::verb::post, "/v1/events?stream=" + stream,
                                  broker::rss(items), "application/rss+xml");
        REQUIRE(answer.status == 202);
        return answer.value.at("first_id").to_number<std::uint64_t>();
    }

private:
    static Answer answer_of(const server::HttpReply& reply) {
        Answer answer{reply.status, std::string(reply.text())};
        if (!answer.body.empty()) answer.value = json::parse(answer.body);
        return answer;
    }

    asio::io_context io_;  // outlives the broker's threads, which may still be in its functions
    broker::RunningBroker running_;
};

// A subscription with a scope, without its connection.
class Watching {
public:
    Watching(server::Services& services, auth::Scope scope, const std::string& filter, bool from_first)
        : services_(services),
          subscriber_(std::make_shared<broker::Subscriber>(
              broker::MailboxLimits{100'000, 100'000'000, true}, [] {}, broker::plain_framer, false)) {
        subscriber_->select(std::move(scope));
        subscriber_->filters = {filter};
        auto compiled = filter::compile_filter(filter).value();
        std::vector<broker::Subscription> subscriptions{
            broker::make_subscription(subscriber_->scope, compiled.canonical, std::move(compiled.disjunction))};
        if (from_first) {
            subscriber_->mailbox.begin_replay(1);
            subscriber_->last_id = services_.log.last_id();
        }
        std::atomic<bool> added{false};
        services_.registry.add(subscriber_, std::move(subscriptions), [&] { added = true; });
        EVENTUALLY(added);
    }
    ~Watching() {
        services_.registry.remove(subscriber_);
        services_.replay.leave(*subscriber_);
    }
    Watching(const Watching&) = delete;
    Watching& operator=(const Watching&) = delete;

    // What has been delivered until now, or the whole of a replay: events as numbers, those of gaps and the oldest one
    // of a reset as their negations.
    std::vector<std::int64_t> take() {
        std::vector<std::int64_t> ids;
        for (;;) {
            const auto taken = subscriber_->mailbox.take();
            if (taken.replaying) services_.replay.request(subscriber_);
            for (const broker::Delivery& each : taken.deliveries) {
                const auto id = static_cast<std::int64_t>(each.event->id);
                if (each.kind == broker::Delivery::Kind::event) ids.push_back(id);
                if (each.kind == broker::Delivery::Kind::reset) ids.push_back(-id);
                if (each.kind != broker::Delivery::Kind::gap) continue;
                for (auto of_gap = static_cast<std::int64_t>(each.first_id); of_gap <= id; ++of_gap)
                    ids.push_back(-of_gap);
            }
            subscriber_->mailbox.settled(taken.deliveries);
            if (!taken.deliveries.empty()) continue;
            if (!taken.replaying || taken.state != broker::Mailbox::State::open) return ids;
            std::this_thread::yield();
        }
    }

private:
    server::Services& services_;
    const std::shared_ptr<broker::Subscriber> subscriber_;
};

// What the model knows of an event.
struct Row {
    std::uint64_t id;
    std::string stream, category;
    int price;
};

struct RowTest {
    std::string text;
    std::function<bool(const Row&)> holds;
};

RowTest random_test(std::mt19937_64& random, int depth) {
    const int kind = static_cast<int>(random() % (depth == 0 ? 3 : 6)), n = static_cast<int>(random() % 10);
    const std::string letter(1, static_cast<char>('a' + n % 4));
    const std::string streams[] = {"a", "b", "news.x", "news.y"};
    if (kind == 0) return {"category = '" + letter + "'", [=](const Row& row) { return row.category == letter; }};
    if (kind == 1) return {"price < " + std::to_string(n), [=](const Row& row) { return row.price < n; }};
    if (kind == 2) {
        const std::string stream = streams[n % 4];
        return {"$stream = '" + stream + "'", [=](const Row& row) { return row.stream == stream; }};
    }
    const RowTest a = random_test(random, depth - 1);
    if (kind == 3) return {"not(" + a.text + ")", [=](const Row& row) { return !a.holds(row); }};
    const RowTest b = random_test(random, depth - 1);
    if (kind == 4)
        return {"(" + a.text + " and " + b.text + ")", [=](const Row& row) { return a.holds(row) && b.holds(row); }};
    return {"(" + a.text + " or " + b.text + ")", [=](const Row& row) { return a.holds(row) || b.holds(row); }};
}

bool is_of(const std::string& pattern, const std::string& stream) {
    if (!pattern.ends_with('*')) return pattern == stream;
    return stream.starts_with(pattern.substr(0, pattern.size() - 1));
}

// A user, and what the model knows of their rights.
struct Reader {
    struct Grant {
        std::string pattern;
        std::optional<RowTest> rows;
    };

    static Reader at_random(std::mt19937_64& random) {
        const std::string patterns[] = {"a", "b", "news.x", "news.*", "*", "elsewhere"};
        Reader reader;
        std::vector<auth::ReadGrant> grants;
        for (std::size_t i = 0, n = 1 + random() % 3; i < n; ++i) {
            Grant grant{patterns[random() % 6], std::nullopt};
            if (random() % 3 != 0) grant.rows = random_test(random, 1);
            grants.push_back(granted(grant.pattern, grant.rows ? grant.rows->text : ""));
            reader.grants.push_back(std::move(grant));
        }
        reader.user = reader_of(std::move(grants));
        return reader;
    }
    bool sees(const Row& row) const {
        return std::any_of(grants.begin(), grants.end(), [&](const Grant& grant) {
            return is_of(grant.pattern, row.stream) && (!grant.rows || grant.rows->holds(row));
        });
    }
    bool sees_name(const std::string& stream) const {
        return std::any_of(grants.begin(), grants.end(),
                           [&](const Grant& grant) { return is_of(grant.pattern, stream); });
    }
    bool sees_all_of(const std::string& stream) const {
        return std::any_of(grants.begin(), grants.end(),
                           [&](const Grant& grant) { return !grant.rows && is_of(grant.pattern, stream); });
    }
    auth::Scope scope(const std::string& stream) const {
        return auth::Scope(text::StreamSelection({&stream, 1}), user->rights);
    }

    std::vector<Grant> grants;
    auth::UserPtr user;
};

std::string item_of(const Row& row, int guid) {
    return "<title>t</title><guid>" + std::to_string(guid) + "</guid><category>" + row.category + "</category><price>" +
           std::to_string(row.price) + "</price>";
}

std::vector<Row> publish_at_random(Asked& broker, std::mt19937_64& random, int& guid) {
    const std::string streams[] = {"a", "b", "news.x", "news.y"};
    std::vector<Row> rows;
    std::vector<std::string> items;
    const std::string stream = streams[random() % 4];
    for (std::size_t i = 0, n = 1 + random() % 4; i < n; ++i) {
        rows.push_back(
            {0, stream, std::string(1, static_cast<char>('a' + random() % 4)), static_cast<int>(random() % 10)});
        items.push_back(item_of(rows.back(), ++guid));
    }
    std::uint64_t id = broker.publish(stream, items);
    for (Row& row : rows) row.id = id++;
    return rows;
}

std::vector<std::int64_t> ids_of(const std::vector<Row>& rows, const std::function<bool(const Row&)>& wanted) {
    std::vector<std::int64_t> ids;
    for (const Row& row : rows)
        if (wanted(row)) ids.push_back(static_cast<std::int64_t>(row.id));
    return ids;
}

void check_past(Asked& broker, const Reader& reader, const std::vector<Row>& rows, const std::string& stream,
                const RowTest& filter) {
    const Asked::Answer answer = broker.match(reader.user, stream, filter.text);
    if (reader.scope(stream).is_empty()) {
        CHECK(answer.status == 403);
        return;
    }
    REQUIRE(answer.status == 200);
    const auto in_scope = [&](const Row& row) { return is_of(stream, row.stream) && reader.sees(row); };
    const auto matched = [&](const Row& row) { return in_scope(row) && filter.holds(row); };
    const std::vector<std::int64_t> seen = ids_of(rows, in_scope), found = ids_of(rows, matched);
    CHECK(answer.value.at("events") == seen.size());
    CHECK(answer.value.at("matched") == found.size());
    std::size_t events_by_hour = 0;
    for (const json::value& hour : answer.value.at("hours").as_array())
        events_by_hour += hour.at("events").to_number<std::size_t>();
    CHECK(events_by_hour == seen.size());
    std::vector<std::int64_t> examples;
    for (const json::value& example : answer.value.at("examples").as_array())
        examples.push_back(example.at("id").to_number<std::int64_t>());
    const std::size_t most = std::min<std::size_t>(found.size(), 20);
    CHECK(examples == std::vector<std::int64_t>(found.rbegin(), found.rbegin() + static_cast<std::ptrdiff_t>(most)));
    const json::value& until = answer.value.at("read_until");
    CHECK((seen.empty() ? until.is_null() : until.at("id") == seen.back()));
}

void check_why(Asked& broker, const Reader& reader, const std::vector<Row>& rows, const RowTest& filter) {
    const auto ask = [&](std::uint64_t id) {
        return broker.get(reader.user,
                          "/v1/events/" + std::to_string(id) + "/why?filter=" + broker::percent_encode(filter.text));
    };
    if (reader.scope("*").is_everything()) return;
    // Replies about what is hidden are like those about what never was.
    const std::uint64_t never = rows.back().id + 1'000;
    const auto without_id = [](std::string body, std::uint64_t id) {
        const std::string number = std::to_string(id);
        for (std::size_t at; (at = body.find(number)) != std::string::npos;) body.replace(at, number.size(), "N");
        return body;
    };
    const Asked::Answer missing = ask(never);
    REQUIRE(missing.status == 404);
    for (const Row& row : rows) {
        const Asked::Answer answer = ask(row.id);
        CAPTURE(row.id, row.stream, row.category, row.price, answer.body);
        if (reader.sees(row)) {
            REQUIRE(answer.status == 200);
            CHECK(answer.value.at("matched") == filter.holds(row));
        } else {
            CHECK(answer.status == 404);
            CHECK(answer.value.at("detail").as_string().find("there is no event ") == 0);
            CHECK(without_id(std::string(answer.value.at("detail").as_string()), row.id) ==
                  without_id(std::string(missing.value.at("detail").as_string()), never));
        }
    }
}

void check_streams(Asked& broker, const Reader& reader, const std::vector<Row>& rows) {
    std::set<std::string> expected, found;
    for (const Row& row : rows)
        if (reader.sees_name(row.stream)) expected.insert(row.stream);
    const Asked::Answer answer = broker.get(reader.user, "/v1/streams");
    REQUIRE(answer.status == 200);
    for (const json::value& stream : answer.value.at("streams").as_array()) {
        const std::string name(stream.at("name").as_string());
        found.insert(name);
        for (const char* figure : {"last_id", "items", "retained"})
            CHECK(stream.at(figure).is_null() != reader.sees_all_of(name));
        CHECK(broker.get(reader.user, "/v1/streams/" + name).value == stream);
    }
    CHECK(found == expected);
    CHECK(answer.value.at("total") == expected.size());
}

}  // namespace

TEST_CASE("users with row filters get what a model says, however they ask") {
    std::mt19937_64 random(testing::seed(58));
    Asked broker({"limits.filter_conjunctions=100000", "limits.filter_literals=1000000"});
    std::vector<Row> rows;
    int guid = 0;
    const auto publish = [&](int documents) {
        for (; documents > 0; --documents)
            for (Row& row : publish_at_random(broker, random, guid)) rows.push_back(std::move(row));
    };
    publish(15);
    const std::string asked[] = {"*", "a", "b", "news.x", "elsewhere"};
    for (int round = 0; round < 25; ++round) {
        const Reader reader = Reader::at_random(random);
        const RowTest filter = random_test(random, 2);
        const std::string stream = asked[random() % 5];
        std::string grants;
        for (const Reader::Grant& grant : reader.grants)
            grants += grant.pattern + ": " + (grant.rows ? grant.rows->text : "all") + "; ";
        CAPTURE(round, grants, filter.text, stream);
        check_past(broker, reader, rows, stream, filter);
        check_why(broker, reader, rows, filter);
        check_streams(broker, reader, rows);
        const auth::Scope scope = reader.scope(stream);
        if (scope.is_empty()) continue;
        const auto wanted = [&](const Row& row) {
            return is_of(stream, row.stream) && reader.sees(row) && filter.holds(row);
        };
        Watching replayed(broker.services(), scope, filter.text, true);
        std::vector<std::int64_t> found;
        EVENTUALLY((found = replayed.take(), true));
        CHECK(found == ids_of(rows, wanted));
        Watching live(broker.services(), scope, filter.text, false);
        const std::size_t before = rows.size();
        publish(2);
        EVENTUALLY(broker.services().queue.decided_id_of_all() >= rows.back().id);
        const std::vector<Row> added(rows.begin() + static_cast<std::ptrdiff_t>(before), rows.end());
        CHECK(live.take() == ids_of(added, wanted));
    }
}

TEST_CASE("a filter that looks beside the item is refused where row filters apply, and only there") {
    Asked broker;
    const std::uint64_t id = broker.publish("a", {broker::item("one", "x"), broker::item("two", "y")});
    broker.publish("b", {broker::item("three", "x")});
    const auto user = reader_of({granted("a", "category = 'x'"), granted("b")});
    const std::string beside = "../item[2]/category = 'y'";
    CHECK(broker.match(user, "a", beside).status == 403);
    CHECK(broker.match(user, "*", beside).status == 403);
    CHECK(broker.match(user, "b", beside).status == 200);
    const std::string encoded = broker::percent_encode(beside);
    const std::string why = "/v1/events/" + std::to_string(id) + "/why?filter=" + encoded;
    CHECK(broker.get(user, why).status == 403);
    CHECK(broker.get(user, "/v1/events?stream=a&filter=" + encoded).status == 403);
    CHECK(broker.get(user, "/v1/events?stream=*&filter=" + encoded).status == 403);
    CHECK(broker.get(auth::everybody(), why).status == 200);
    // On a document of their own there is nothing to hide.
    const std::string own = json::serialize(json::value{{"filter", beside},
                                                        {"document", broker::rss({broker::item("one", "x")})},
                                                        {"content_type", "application/rss+xml"}});
    CHECK(broker.ask(user, server::http::verb::post, "/v1/match", own).status == 200);
}

TEST_CASE("FilterCompiler: rights do not count towards the limits of a filter, but towards its cost") {
    Asked broker({"limits.filter_conjunctions=4", "limits.filter_literals=8", "limits.literals_per_connection=100"});
    const auto compile = [&](std::vector<std::string> filters, auth::Scope scope) {
        server::FilterCompiler compiler(std::move(filters), std::move(scope), server::Annotate::nothing,
                                        broker.services());
        REQUIRE(compiler.compile_until(server::FilterCompiler::Clock::time_point::max()));
        return compiler.take();
    };
    const auto scope_of = [](std::vector<auth::ReadGrant> grants) {
        return auth::Scope(text::StreamSelection(), reader_of(std::move(grants))->rights);
    };
    const std::string rows = "category = 'x' or category = 'y' or category = 'z'", two = "title = '1' or title = '2'",
                      five = "title = '1' or title = '2' or title = '3' or title = '4' or title = '5'";
    const auth::Scope restricted = scope_of({granted("a", rows), granted("b", rows)});
    const auto made = compile({two}, restricted);
    REQUIRE_FALSE(made.refusal);
    CHECK(made.subscriptions.front().disjunction.conjunctions.size() == 12);
    CHECK(compile({five}, restricted).refusal.has_value());
    const std::vector<std::string> names{"a", "b", "c"};
    const auto refused = compile({two}, auth::Scope(text::StreamSelection(names)));
    REQUIRE(refused.refusal);
    CHECK(refused.refusal->status == 413);

    const std::string scanned = "title = summary";
    const auto cheap = compile({}, restricted), costly = compile({}, scope_of({granted("a", scanned)}));
    CHECK_FALSE(cheap.is_costly);
    CHECK(costly.is_costly);
    CHECK(cheap.kept > compile({}, auth::Scope()).kept);
    CHECK(cheap.memory.bytes() > compile({}, auth::Scope()).memory.bytes());
    std::vector<auth::ReadGrant> grants;
    for (int i = 0; i < 17; ++i) grants.push_back(granted("s" + std::to_string(i), rows));
    const auto too_many = compile({}, scope_of(std::move(grants)));  // 102 literals
    REQUIRE(too_many.refusal);
    CHECK(too_many.refusal->text().find("limits.literals_per_connection, 100") != std::string::npos);
}

TEST_CASE("a stream outside a user's rights is refused by its name, whether or not there is one") {
    Asked broker;
    broker.publish("secret", {broker::item("one")});
    const auto user = std::make_shared<const auth::User>(
        "reader", auth::Rights{.publish = text::StreamSelection(std::vector<std::string>{"own"}),
                               .subscribe = {granted("a", "category = 'x'")}});
    for (const std::string target :
         {"/v1/events?stream=NAME&from=first", "/v1/streams/NAME", "/v1/events/1/why?filter=title&stream=NAME",
          "/v1/events?stream=NAME&since=nonsense"}) {
        const auto with = [&](const std::string& name) {
            std::string text = target;
            return text.replace(text.find("NAME"), 4, name);
        };
        const Asked::Answer there = broker.get(user, with("secret")), not_there = broker.get(user, with("nothing"));
        CHECK(there.status == 403);
        CHECK(not_there.status == 403);
    }
    CHECK(broker.match(user, "secret", "title").status == 403);
    // The body is not looked at.
    const auto publish = [&](const std::string& stream, const std::string& body) {
        return broker.ask(user, server::http::verb::post, "/v1/events?stream=" + stream, body, "application/rss+xml");
    };
    CHECK(publish("secret", "<not xml").status == 403);
    CHECK(publish("default", broker::rss({broker::item("one")})).status == 403);
    CHECK(publish("own", "<not xml").status == 400);
    CHECK(publish("own", broker::rss({broker::item("one")})).status == 202);
    CHECK(broker.ask(auth::nobody(), server::http::verb::post, "/v1/events?stream=own").status == 401);
}

TEST_CASE("of events that a filter can't decide, users with row filters are told only where these hold") {
    Asked broker({"limits.condition_steps=20000", "limits.document_steps=200000"});
    std::string pairs;
    for (int i = 0; i < 4'900; ++i) pairs += "<a>x</a><b>y</b>";
    const std::string costly = "a = b";
    const std::string s = "s", filler = "<filler>" + std::string(200'000, 'z') + "</filler>";
    const auto rows = reader_of({granted(s, "category = 'x'")}), all = reader_of({granted(s)});
    const auto row_scope = auth::Scope(text::StreamSelection({&s, 1}), rows->rights);
    Watching live(broker.services(), row_scope, costly, false);
    Watching sees_all(broker.services(), auth::Scope(text::StreamSelection({&s, 1})), costly, false);
    const std::uint64_t first =
        broker.publish(s, {pairs + "<category>y</category><guid>1</guid>", filler + "<guid>2</guid>"});
    const std::uint64_t second =
        broker.publish(s, {pairs + "<category>x</category><guid>3</guid>", filler + "<guid>4</guid>"});
    EVENTUALLY(broker.services().queue.decided_id(s) >= second + 1);
    const auto told_of = [](const std::vector<std::int64_t>& ids, std::uint64_t id) {
        return std::count(ids.begin(), ids.end(), -static_cast<std::int64_t>(id)) != 0;
    };
    const std::vector<std::int64_t> of_all = sees_all.take(), of_rows = live.take();
    CAPTURE(of_all, of_rows, first, second);
    CHECK(told_of(of_all, first));
    CHECK(told_of(of_all, second));
    CHECK(of_rows == std::vector<std::int64_t>{-static_cast<std::int64_t>(second)});
    Watching replayed(broker.services(), row_scope, costly, true);
    const std::vector<std::int64_t> again = replayed.take();
    CHECK(told_of(again, second));
    CHECK_FALSE(told_of(again, first));
    const Asked::Answer past = broker.match(rows, s, costly);
    REQUIRE(past.status == 200);
    CHECK(past.value.at("events") == 1);
    CHECK(past.value.at("undecided").at("over-budget") == 1);
}

TEST_CASE("no format delivers anything of an item's neighbours") {
    const feed::DocumentPtr rss = broker::document({broker::item("visible", "x"), broker::item("SECRET", "y")});
    feed::Event event{rss, 0, std::make_shared<const std::string>("s"), 1};
    for (const broker::EventFormat* format : {&broker::json_format(), &broker::json_format(feed::JsonValues::all),
                                              &broker::xml_format(), &broker::source_format()}) {
        const std::string body = format->body(event);
        CHECK(body.find("visible") != std::string::npos);
        CHECK(body.find("SECRET") == std::string::npos);
    }
}
