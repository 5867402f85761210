#include "broker/server/http/password_checks.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

using sluice::server::PasswordChecks;
namespace asio = boost::asio;
using Outcome = PasswordChecks::Outcome;
using Outcomes = std::vector<Outcome>;

namespace {

std::atomic<bool> is_open{true};
std::atomic<std::size_t> checked{0};

// Ends when the test opens it.
bool check_slowly(std::string_view, std::string_view password) {
    is_open.wait(false);
    ++checked;
    return password == "right";
}

class Desk {
public:
    Desk() {
        is_open = false;
        checked = 0;
    }
    ~Desk() { open(); }

    void open() {
        is_open = true;
        is_open.notify_all();
    }

    // Whoever has to wait waits when this returns.
    void ask(const std::string& password, bool is_admitted = true) {
        asio::co_spawn(
            io_,
            [this, password, is_admitted]() -> asio::awaitable<void> {
                const PasswordChecks::Admit admit = [this, is_admitted] {
                    ++asked_to_admit;
                    return is_admitted;
                };
                const sluice::auth::Sha256 key = sluice::auth::sha256(password);
                outcomes.push_back(co_await checks.check(key, "hash", password, nullptr, admit));
            },
            [](const std::exception_ptr& thrown) {
                if (thrown) std::rethrow_exception(thrown);
            });
        io_.poll();
    }
    Outcomes finish(std::size_t count) {
        open();
        while (outcomes.size() < count) io_.run_one();
        return outcomes;
    }

    Outcomes outcomes;
    std::size_t asked_to_admit = 0;

private:
    sluice::base::MemoryBudget memory_{std::size_t{1} << 30};
    asio::io_context io_;
    const asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io_);

public:
    PasswordChecks checks{memory_, check_slowly};
};

}  // namespace

TEST_CASE("what is asked for several times at once is admitted and checked once") {
    Desk desk;
    for (int i = 0; i < 3; ++i) desk.ask("right");
    desk.ask("wrong");
    CHECK(desk.asked_to_admit == 2);
    CHECK(desk.outcomes.empty());
    CHECK(desk.finish(4) == Outcomes{Outcome::right, Outcome::right, Outcome::right, Outcome::wrong});
    CHECK(checked == 2);
    desk.ask("right");
    CHECK(desk.asked_to_admit == 3);
    CHECK(desk.finish(5).back() == Outcome::right);
}

TEST_CASE("who is not admitted is refused, unless the same is being checked already") {
    Desk desk;
    desk.ask("right", false);
    CHECK(desk.outcomes == Outcomes{Outcome::refused});
    desk.ask("right");
    desk.ask("right", false);
    CHECK(desk.finish(3) == Outcomes{Outcome::refused, Outcome::right, Outcome::right});
    CHECK(desk.asked_to_admit == 2);
    CHECK(checked == 1);
}

TEST_CASE("while as many as possible wait, others are told so, and are not asked for") {
    Desk desk;
    for (std::size_t i = 0; i < PasswordChecks::waiting_max; ++i) desk.ask(std::to_string(i));
    CHECK(desk.outcomes.empty());
    desk.ask("right");
    CHECK(desk.outcomes == Outcomes{Outcome::busy});
    desk.ask("0");  // nothing more to check
    CHECK(desk.asked_to_admit == PasswordChecks::waiting_max);
    const Outcomes outcomes = desk.finish(PasswordChecks::waiting_max + 2);
    CHECK(static_cast<std::size_t>(std::count(outcomes.begin(), outcomes.end(), Outcome::wrong)) ==
          PasswordChecks::waiting_max + 1);
    CHECK(checked == PasswordChecks::waiting_max);
    desk.ask("right");
    CHECK(desk.finish(PasswordChecks::waiting_max + 3).back() == Outcome::right);
}

TEST_CASE("after the end all are busy") {
    Desk desk;
    desk.checks.stop();
    desk.ask("right");
    CHECK(desk.outcomes == Outcomes{Outcome::busy});
    CHECK(desk.asked_to_admit == 0);
}
