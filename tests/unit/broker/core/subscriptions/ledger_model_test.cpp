// Ledger against a plain model of it: a list of what is outstanding, looked through from the beginning for every
// answer. Whoever reads the log keeps to the mark, loses what was not stored, and never sees an id without being told
// that it has come before.
#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "broker/core/subscriptions/ledger.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/seed.hpp"

using sluice::broker::Ledger;

namespace {

using Id = std::uint64_t;
using Time = Ledger::Time;
using std::chrono::seconds;

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
constexpr Id no_id = std::numeric_limits<Id>::max();

struct Model {
    enum class Where { consumer, waits, away };
    struct Row {
        Id id = 0;
        std::uint32_t deliveries = 0;
        Where where = Where::consumer;
        Ledger::Consumer consumer = 0;
        Time until{};
        bool was_lost = false;  // it was outstanding when the process ended
        bool is_dying = false;  // where it is away
        std::string why = "delivered before a restart";
    };

    bool is_worn(const Row& row) const {
        return settings.deliveries_max > 0 && row.deliveries >= settings.deliveries_max;
    }
    bool is_for_dead_letters(const Row& row) const { return settings.has_dead_letters && is_worn(row); }

    Row* find(Id id) {
        for (Row& row : rows) {
            if (row.id == id) return &row;
        }
        return nullptr;
    }

    void ends(Row& row, Time again, Time now, const std::string& why) {
        row.where = Where::waits;
        row.was_lost = false;
        row.why = why;
        row.until = again;
        if (!is_worn(row)) return;
        if (settings.has_dead_letters) {
            row.until = std::min(again, now);
            return;
        }
        int wait = 1;
        for (std::uint32_t i = settings.deliveries_max; i < row.deliveries && wait < 300; ++i) wait *= 2;
        row.until = again + seconds(std::min(wait, 300));
    }

    void pass(Time now) {
        for (Row& row : rows) {
            if (row.was_lost) {
                ends(row, now, now, row.why);
            } else if (row.where == Where::consumer && row.until <= now) {
                ends(row, now, now, "not acknowledged within ack_wait");
                ++expired;
            }
        }
    }

    std::vector<Row> take(Time now, std::size_t most, bool spent) {
        pass(now);
        std::vector<Row> taken;
        for (Row& row : rows) {
            if (taken.size() == most) break;
            if (row.where != Where::waits || row.until > now || is_for_dead_letters(row) != spent) continue;
            row.where = Where::away;
            row.is_dying = spent;
            taken.push_back(row);
        }
        return taken;
    }

    std::uint32_t deliver(Id id, Ledger::Consumer consumer, Time now) {
        if (id < next || find(id) != nullptr || std::count(done.begin(), done.end(), id) != 0) return 0;
        const std::uint32_t deliveries = id <= loaded_mark ? 2 : 1;
        rows.push_back({id, deliveries, Where::consumer, consumer, now + settings.ack_wait});
        std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.id < b.id; });
        return deliveries;
    }

    std::uint32_t deliver_again(Id id, Ledger::Consumer consumer, Time now) {
        Row* const row = find(id);
        if (row == nullptr || row->where != Where::away || row->is_dying) return 0;
        row->where = Where::consumer;
        row->consumer = consumer;
        row->until = now + settings.ack_wait;
        return ++row->deliveries;
    }

    bool end(Id id) {
        if (find(id) == nullptr) return false;
        std::vector<Row> others;
        for (const Row& row : rows) {
            if (row.id != id) others.push_back(row);
        }
        rows = others;
        done.push_back(id);
        return true;
    }

    // Of the last delivery, whichever it is, or with the right number.
    Row* with_consumer(Id id, std::uint32_t deliveries) {
        Row* const row = find(id);
        if (row == nullptr || row->where != Where::consumer || row->was_lost) return nullptr;
        return deliveries == 0 || deliveries == row->deliveries ? row : nullptr;
    }

    Id cursor() const {
        Id lowest = next;
        for (const Row& row : rows) lowest = std::min(lowest, row.id);
        return lowest - 1;
    }

    std::optional<Time> next_time() const {
        std::optional<Time> next_one;
        for (const Row& row : rows) {
            if (row.where == Where::away) continue;
            const Time time = row.was_lost ? Time::min() : row.until;
            if (!next_one || time < *next_one) next_one = time;
        }
        return next_one;
    }

    void restart() {
        loaded_mark = mark;
        expired = 0;
        for (Row& row : rows) {
            row.was_lost = true;
            row.where = Where::consumer;
            row.why = Row().why;
        }
    }

    Ledger::Settings settings{};
    Id next = 1, mark = 0, loaded_mark = 0;
    std::vector<Row> rows{};  // by id
    std::vector<Id> done{};   // all that ever were
    std::uint64_t expired = 0;
};

class Steps {
public:
    explicit Steps(std::uint64_t seed) : random_(seed) {
        model_.settings = settings();
        ledger_ = Ledger(model_.settings, 1);
        store();
    }

    void step() {
        now_ += seconds(any(3) == 0 ? any(20) : 0);
        switch (any(16)) {
            case 0:
            case 1:
            case 2:
                return deliver();
            case 3:
                return advance();
            case 4:
                return take_due();
            case 5:
                return deliver_again();
            case 6:
                return take_spent();
            case 7:
                return end_spent();
            case 8:
                return acknowledge();
            case 9:
                return reject();
            case 10:
                return extend();
            case 11:
                return release();
            case 12:
                return store();
            case 13:
                return any(8) == 0 ? crash() : any(2) == 0 ? drop() : deliver_again();
            case 14:
                return any(4) == 0 ? set() : give_up();
            default:
                return any(40) == 0 ? seek() : any(10) == 0 ? acknowledge_up_to() : deliver_again();
        }
    }

    void compare() {
        REQUIRE(ledger_.next() == model_.next);
        REQUIRE(ledger_.mark() == model_.mark);
        REQUIRE(ledger_.loaded_mark() == model_.loaded_mark);
        REQUIRE(ledger_.outstanding() == model_.rows.size());
        REQUIRE(ledger_.cursor() == model_.cursor());
        REQUIRE(ledger_.expired() == model_.expired);
        const std::size_t prefetch = model_.settings.prefetch;
        REQUIRE(ledger_.credit() == (model_.rows.size() < prefetch ? prefetch - model_.rows.size() : 0));
        const auto next_time = ledger_.next_time(), expected = model_.next_time();
        REQUIRE(next_time.has_value() == expected.has_value());
        if (next_time) REQUIRE(std::max(*next_time, now_) == std::max(*expected, now_));
        const auto again = Ledger::decode(model_.settings, ledger_.encode());
        REQUIRE(again);
        REQUIRE(again->encode() == ledger_.encode());
        REQUIRE(again->outstanding() == ledger_.outstanding());
    }

    // All that is outstanding is due or spent some time, once.
    void end() {
        give_up();
        while (!dying_.empty()) end_spent();
        const std::vector<Model::Row> rows = model_.rows;
        std::vector<Id> seen;
        while (ledger_.outstanding() != 0) {
            const auto next_time = ledger_.next_time();
            REQUIRE(next_time);
            now_ = std::max(now_, *next_time);
            for (const auto& due : ledger_.take_due(now_, all)) {
                seen.push_back(due.id);
                REQUIRE(ledger_.acknowledge(due.id));
            }
            for (const auto& spent : ledger_.take_spent(now_, all)) {
                seen.push_back(spent.id);
                REQUIRE(ledger_.drop(spent.id));
            }
        }
        std::sort(seen.begin(), seen.end());
        REQUIRE(seen.size() == rows.size());
        for (std::size_t i = 0; i < seen.size(); ++i) REQUIRE(seen[i] == rows[i].id);
        REQUIRE_FALSE(ledger_.next_time());
        REQUIRE(ledger_.cursor() == ledger_.next() - 1);
    }

private:
    std::uint64_t any(std::uint64_t below) { return random_() % below; }
    Ledger::Consumer consumer() { return any(3); }

    Ledger::Settings settings() {
        Ledger::Settings settings;
        settings.ack_wait = seconds(1 + any(60));
        settings.prefetch = 1 + any(30);
        settings.deliveries_max = static_cast<std::uint32_t>(any(5));
        settings.has_dead_letters = any(2) == 0;
        return settings;
    }

    Id outstanding() {
        if (model_.rows.empty() || any(10) == 0) return any(model_.next + 5);
        return model_.rows[any(model_.rows.size())].id;
    }
    std::uint32_t deliveries_of(Id id) {
        const Model::Row* const row = model_.find(id);
        return row == nullptr || any(2) == 0 ? static_cast<std::uint32_t>(any(4)) : row->deliveries;
    }

    void is_told(Id id, std::uint32_t deliveries) {
        REQUIRE(std::count(ended_.begin(), ended_.end(), id) == 0);
        if (deliveries > 1) return;
        REQUIRE(std::count(unmarked_.begin(), unmarked_.end(), id) == 0);
        unmarked_.push_back(id);
    }
    void has_ended(Id id) { ended_.push_back(id); }

    void deliver() {
        if (ledger_.credit() == 0) return;
        const Id id = any(20) == 0 ? any(model_.next + 1) : model_.next + any(6);
        if (id > stored_.mark) {
            model_.mark = std::max(model_.mark, id + any(10));
            ledger_.set_mark(model_.mark);
            store();
        }
        const Ledger::Consumer by = consumer();
        const std::uint32_t deliveries = ledger_.deliver(id, by, now_);
        REQUIRE(deliveries == model_.deliver(id, by, now_));
        if (deliveries != 0) is_told(id, deliveries);
    }

    void advance() {
        const Id next = model_.next + any(6) - std::min<Id>(model_.next, any(2));
        ledger_.advance(next);
        model_.next = std::max(model_.next, next);
    }

    void take_due() {
        const std::size_t most = any(3) == 0 ? all : any(4);
        const auto taken = ledger_.take_due(now_, most);
        const auto expected = model_.take(now_, most, false);
        REQUIRE(taken.size() == expected.size());
        for (std::size_t i = 0; i < taken.size(); ++i) {
            REQUIRE(taken[i] == Ledger::Due{expected[i].id, expected[i].deliveries + 1});
            fetching_.push_back(taken[i].id);
        }
    }

    void deliver_again() {
        const bool is_fetching = !fetching_.empty() && any(5) != 0;
        const Id id = is_fetching ? fetching_[any(fetching_.size())] : outstanding();
        const Ledger::Consumer by = consumer();
        const std::uint32_t deliveries = ledger_.deliver_again(id, by, now_);
        REQUIRE(deliveries == model_.deliver_again(id, by, now_));
        if (deliveries != 0) is_told(id, deliveries);
    }

    void give_up() {
        ledger_.give_up_fetching();
        for (Model::Row& row : model_.rows) {
            if (row.where != Model::Where::away || row.is_dying) continue;
            row.where = Model::Where::waits;
            row.until = now_;
        }
        fetching_.clear();
    }

    void take_spent() {
        const std::size_t most = any(3) == 0 ? all : any(4);
        const auto taken = ledger_.take_spent(now_, most);
        const auto expected = model_.take(now_, most, true);
        REQUIRE(taken.size() == expected.size());
        for (std::size_t i = 0; i < taken.size(); ++i) {
            REQUIRE(taken[i] == Ledger::Spent{expected[i].id, expected[i].deliveries, expected[i].why});
            REQUIRE(std::count(ended_.begin(), ended_.end(), taken[i].id) == 0);
            dying_.push_back(taken[i].id);
        }
    }

    void end_spent() {
        if (dying_.empty()) return;
        const Id id = dying_.back();
        dying_.pop_back();
        if (any(2) == 0) {
            if (ledger_.drop(id)) has_ended(id);
            model_.end(id);
            return;
        }
        const Time again = now_ + seconds(any(20));
        ledger_.return_spent(id, again);
        Model::Row* const row = model_.find(id);
        if (row == nullptr || row->where != Model::Where::away || !row->is_dying) return;
        row->where = Model::Where::waits;
        row->until = again;
    }

    void acknowledge() {
        const Id id = outstanding();
        const bool done = ledger_.acknowledge(id);
        REQUIRE(done == model_.end(id));
        if (done) has_ended(id);
    }

    void acknowledge_up_to() {
        const Id last = any(3) == 0 ? no_id : outstanding();
        std::size_t expected = 0;
        for (Id id = 0; id <= std::min(last, model_.next + 10); ++id) {
            if (!model_.end(id)) continue;
            has_ended(id);
            ++expected;
        }
        REQUIRE(ledger_.acknowledge_up_to(last) == expected);
    }

    void drop() {
        const Id id = outstanding();
        const bool done = ledger_.drop(id);
        REQUIRE(done == model_.end(id));
        if (done) has_ended(id);
    }

    void reject() {
        const Id id = outstanding();
        const std::uint32_t deliveries = deliveries_of(id);
        const Time again = now_ + seconds(any(30));
        const std::string reason = any(2) == 0 ? "" : "busy";
        Model::Row* const row = model_.with_consumer(id, deliveries);
        REQUIRE(ledger_.reject(id, deliveries, reason, again) == (row != nullptr));
        if (row != nullptr) model_.ends(*row, again, now_, reason.empty() ? "rejected" : reason);
    }

    void extend() {
        const Id id = outstanding();
        const std::uint32_t deliveries = deliveries_of(id);
        const Time until = now_ + seconds(any(100));
        Model::Row* const row = model_.with_consumer(id, deliveries);
        REQUIRE(ledger_.extend(id, deliveries, until) == (row != nullptr));
        if (row != nullptr) row->until = until;
    }

    void release() {
        const Ledger::Consumer by = consumer();
        ledger_.release(by, now_);
        for (Model::Row& row : model_.rows) {
            if (model_.with_consumer(row.id, 0) == &row && row.consumer == by)
                model_.ends(row, now_, now_, "the consumer left");
        }
    }

    void set() {
        model_.settings = settings();
        ledger_.set(model_.settings);
    }

    void seek() {
        model_.rows.clear();
        model_.done.clear();
        ended_.clear();
        unmarked_.clear();  // what comes again was asked for
        model_.next = 1 + any(model_.next + 20);
        model_.mark = model_.loaded_mark = 0;
        ledger_.seek(model_.next);
        fetching_.clear();
        dying_.clear();
        store();
    }

    void store() {
        bytes_ = ledger_.encode();
        stored_ = model_;
        ended_at_store_ = ended_;
    }

    // What is not stored is lost, except to whoever reads the events.
    void crash() {
        const Ledger::Settings settings = model_.settings;
        auto ledger = Ledger::decode(settings, bytes_);
        REQUIRE(ledger);
        ledger_ = *ledger;
        model_ = stored_;
        model_.settings = settings;
        model_.restart();
        ended_ = ended_at_store_;
        fetching_.clear();
        dying_.clear();
    }

    std::mt19937_64 random_;
    Time now_ = Time(seconds(1'000));
    Model model_, stored_;
    Ledger ledger_{{}, 1};
    std::string bytes_;
    std::vector<Id> fetching_, dying_;        // taken, perhaps done meanwhile
    std::vector<Id> ended_, ended_at_store_;  // acknowledged or dropped
    std::vector<Id> unmarked_;                // delivered as for the first time
};

}  // namespace

TEST_CASE("Ledger: random deliveries, acknowledgements and crashes end as in a plain model of it") {
    const std::size_t rounds = sluice::testing::fewer_if_sanitized(400);
    for (std::size_t round = 0; round < rounds; ++round) {
        CAPTURE(round);
        Steps steps(sluice::testing::seed(round + 1));
        for (int i = 0; i < 400; ++i) {
            steps.step();
            steps.compare();
        }
        steps.end();
    }
}
