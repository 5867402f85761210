// Erasing and purging on a disk that stops, loses power or fails in the middle. SLUICE_CRASH_STATES sets how many
// times.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "broker/base/log.hpp"
#include "config/options.hpp"
#include "tests/differential/crash/in_parallel.hpp"
#include "tests/differential/crash/item_log.hpp"
#include "tests/support/seed.hpp"

using namespace sluice;
using namespace sluice::testing;

namespace {

struct Outcome {
    bool is_answered = false, is_undone = false;
    std::string wrong{};
};

// One log, of which one event is erased or one stream purged while the disk fails.
class Life {
public:
    explicit Life(std::uint64_t seed) : random_(seed), is_power_failure_(below(2) == 0), purges_(below(4) == 0) {}

    Outcome run() {
        try {
            log_.open();
            for (int i = 0; i < 6; ++i) append(below(2) == 0 ? "a" : "b", 1 + below(4));
            if (texts_["a"].empty()) append("a", 2);
            if (below(2) == 0) log_.open();
            append("a", 1 + below(3));
            auto at = texts_["a"].begin();
            std::advance(at, static_cast<std::ptrdiff_t>(below(texts_["a"].size())));
            id_ = at->first;
            secret_ = at->second;
            fail();
            check_after_failure();
        } catch (const std::exception& error) {
            outcome_.wrong = error.what();
        }
        return outcome_;
    }

private:
    std::size_t below(std::size_t end) { return random_() % end; }
    void require(bool condition, const std::string& what) const {
        if (!condition) throw std::runtime_error("event " + std::to_string(id_) + ": " + what);
    }

    void append(const std::string& stream, std::size_t events) {
        const auto made = log_.append(stream, events);
        require(made.has_value(), "an append fails");
        texts_[stream].insert(made->begin(), made->end());
    }
    bool change() {
        if (purges_) return !log_->purge("a", id_ + 1).error;
        const store::Erased erased = log_->erase("a", id_);
        return erased.is_found && !erased.error;
    }
    bool is_gone(std::uint64_t id) const { return purges_ ? id <= id_ : id == id_; }
    ItemLog::Items changed() const {
        ItemLog::Items left = texts_.at("a");
        std::erase_if(left, [this](const auto& each) { return is_gone(each.first); });
        return left;
    }

    void fail() {
        if (below(4) == 0)
            disk_.plan({below(2) == 0 ? Access::write : Access::sync, below(15), true});
        else if (below(8) != 0)
            disk_.stop_at(1 + below(60));
        outcome_.is_answered = change();
        disk_.stop();
        log_.close();
        if (is_power_failure_) disk_.lose_unsynced(random_());
    }

    void check_after_failure() {
        log_.open();
        if (outcome_.is_answered && !purges_) require(!is_on_disk(), "its bytes are back");
        const auto found = log_.read("a");
        outcome_.is_undone = found == texts_["a"];
        require(found == changed() || (outcome_.is_undone && !outcome_.is_answered), "events are not as they were");
        require(log_.read("b") == texts_["b"], "events of another stream are not as they were");
        if (!purges_ && !outcome_.is_undone) {
            if (below(2) == 0) log_.open();  // while it goes on
            const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
            while (is_on_disk()) {
                require(std::chrono::steady_clock::now() < give_up, "the erasure is not completed by itself");
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        }
        if (purges_) {
            require(change(), "it can't be purged again");
        } else {
            const store::Erased again = log_->erase("a", id_);
            require(!again.error, "it can't be erased again");
            require(outcome_.is_answered ? !again.is_found : again.is_found || !outcome_.is_undone,
                    "whether it could be erased again is wrong");
            require(!is_on_disk(), "its bytes are still there");
        }
        append("a", 1);
        require(log_.read("a") == changed(), "events are not as they were, at the end");
        log_.open();
        require(log_.read("a") == changed() && log_.read("b") == texts_["b"], "events are not as they were, later");
    }
    bool is_on_disk() const {
        const auto paths = disk_.paths();
        return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
            return disk_.content(path).find(secret_.substr(1, secret_.size() - 2)) != std::string::npos;
        });
    }

    std::mt19937_64 random_;
    const bool is_power_failure_, purges_;
    CrashDisk disk_;
    ItemLog log_{disk_, random_};
    std::map<std::string, ItemLog::Items> texts_{{"a", {}}, {"b", {}}};  // by stream
    std::uint64_t id_ = 0;
    std::string secret_;
    Outcome outcome_;
};

}  // namespace

TEST_CASE(
    "RocksLog: an erasure or a purge is cut short → it is done or not, stays so once answered, and can be repeated") {
    const char* text = std::getenv("SLUICE_CRASH_STATES");
    const std::size_t lives = text ? std::strtoull(text, nullptr, 10) / 4 : 60;
    const std::uint64_t first = seed(5'000);
    base::configure_log({.level = config::LogLevel::off});
    std::size_t answered = 0, undone = 0;
    for (const Outcome& outcome : in_parallel(lives, [&](std::size_t i) {
             Outcome ended = Life(first + i).run();
             if (!ended.wrong.empty()) ended.wrong = "seed " + std::to_string(first + i) + ": " + ended.wrong;
             return ended;
         })) {
        if (!outcome.wrong.empty()) FAIL_CHECK(outcome.wrong);
        answered += outcome.is_answered ? 1u : 0u;
        undone += outcome.is_undone ? 1u : 0u;
    }
    std::cout << "erasures and purges: " << lives << ", " << answered << " answered, " << undone << " undone"
              << std::endl;
    CHECK(answered > 0);
    CHECK(answered < lives);
}
