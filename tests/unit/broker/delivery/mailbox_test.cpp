#include "broker/delivery/mailbox.hpp"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <thread>

using sluice::Mailbox;
using sluice::Message;

namespace {

std::vector<Message> messages(std::size_t n, const std::string& text = "0123456789") {
    return std::vector<Message>(n, Message{std::make_shared<const std::string>(text), ""});
}

}  // namespace

TEST_CASE("a mailbox wakes its reader once per empty take") {
    int wakes = 0;
    Mailbox mailbox({100, 1000}, [&] { ++wakes; });
    CHECK(mailbox.push(messages(1)).accepted);
    CHECK(wakes == 0);  // nobody has looked yet
    CHECK(mailbox.take().messages.size() == 1);
    CHECK(mailbox.take().messages.empty());
    mailbox.push(messages(2));
    mailbox.push(messages(3));
    CHECK(wakes == 1);
    CHECK(mailbox.take().messages.size() == 5);
}

TEST_CASE("what is being written counts until it is written") {
    Mailbox mailbox({4, 1000}, [] {});
    CHECK(mailbox.push(messages(3)).accepted);
    const auto taken = mailbox.take();
    CHECK(mailbox.events() == 3);
    CHECK(mailbox.push(messages(1)).accepted);
    mailbox.written(taken.messages);
    CHECK(mailbox.events() == 1);
    CHECK(mailbox.push(messages(3)).accepted);
    CHECK_FALSE(mailbox.push(messages(1)).accepted);
}

TEST_CASE("an overflow empties the mailbox for good and is told once") {
    const bool in_bytes = GENERATE(false, true);
    int wakes = 0;
    Mailbox mailbox(in_bytes ? sluice::MailboxLimits{1000, 50} : sluice::MailboxLimits{5, 1000}, [&] { ++wakes; });
    CHECK(mailbox.push(messages(5)).accepted);
    const auto overflowing = mailbox.push(messages(1));
    CHECK_FALSE(overflowing.accepted);
    CHECK(overflowing.overflowed_now);
    CHECK(wakes == 1);
    const auto later = mailbox.push(messages(1));
    CHECK_FALSE(later.accepted);
    CHECK_FALSE(later.overflowed_now);
    const auto taken = mailbox.take();
    CHECK(taken.messages.empty());
    CHECK(taken.state == Mailbox::State::overflowed);
    mailbox.finish();
    CHECK(mailbox.state() == Mailbox::State::overflowed);
}

TEST_CASE("a reader that is not behind gets more than the bounds at once") {
    const bool in_bytes = GENERATE(false, true);
    Mailbox mailbox(in_bytes ? sluice::MailboxLimits{1000, 50} : sluice::MailboxLimits{5, 1000}, [] {});
    CHECK(mailbox.push(messages(6)).accepted);
    const auto taken = mailbox.take();
    CHECK(taken.messages.size() == 6);
    CHECK_FALSE(mailbox.push(messages(1)).accepted);
}

TEST_CASE("a finished mailbox gives what it has and takes nothing more") {
    int wakes = 0;
    Mailbox mailbox({100, 1000}, [&] { ++wakes; });
    mailbox.push(messages(2));
    mailbox.finish();
    mailbox.finish();
    CHECK(wakes == 1);
    CHECK_FALSE(mailbox.push(messages(1)).accepted);
    const auto taken = mailbox.take();
    CHECK(taken.messages.size() == 2);
    CHECK(taken.state == Mailbox::State::finished);
}

TEST_CASE("a farewell is that of the first end") {
    Mailbox mailbox({100, 1000}, [] {});
    mailbox.finish("sorry");
    mailbox.finish("later");
    CHECK(mailbox.farewell() == "sorry");
}

TEST_CASE("a reader on another thread misses nothing") {
    constexpr std::size_t rounds = 20'000;
    std::mutex mutex;
    std::condition_variable rung;
    bool ring = false;
    Mailbox mailbox({rounds, rounds * 10}, [&] {
        const std::lock_guard lock(mutex);
        ring = true;
        rung.notify_one();
    });
    std::thread writer([&] {
        for (std::size_t i = 0; i < rounds; ++i) mailbox.push(messages(1));
        mailbox.finish();
    });
    std::size_t received = 0;
    for (;;) {
        const auto [taken, state] = mailbox.take();
        received += taken.size();
        mailbox.written(taken);
        if (!taken.empty()) continue;
        if (state == Mailbox::State::finished) break;
        std::unique_lock lock(mutex);
        rung.wait(lock, [&] { return ring; });
        ring = false;
    }
    writer.join();
    CHECK(received == rounds);
}
