#include "tests/bench/fanout/round.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <stdexcept>
#include <sys/epoll.h>
#include <system_error>
#include <utility>

namespace sluice::fanout {

namespace {

constexpr std::uint64_t publisher_index = std::numeric_limits<std::uint64_t>::max();
constexpr std::chrono::seconds patience(20);  // without any delivery or reply

// With half of what may be under way at once, a call sends many messages though replies come one by one.
std::size_t least_of(std::uint64_t unanswered_most, std::uint64_t undelivered_most) {
    const std::uint64_t half = std::min(unanswered_most, undelivered_most) / 2;
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(half, 1, Publisher::messages_at_once));
}

}  // namespace

Round::Round(const Protocol& protocol, std::uint16_t port, const Scenario& scenario, Subscribers& subscribers,
             int epoll, std::uint64_t first, const Plan& plan)
    : protocol_(protocol),
      scenario_(scenario),
      subscribers_(subscribers),
      epoll_(epoll),
      first_(first),
      plan_(plan),
      unanswered_most_(protocol.replies_to_each ? scenario.unanswered_most : scenario.undelivered_most),
      least_at_once_(least_of(unanswered_most_, scenario.undelivered_most)),
      publisher_(protocol, port) {
    publisher_.watch(epoll, publisher_index);
}

void Round::run() {
    subscribers_.begin_round(first_);
    start_ = Clock::now();
    if (plan_.rate > 0) subscribers_.take_latencies(start_, std::chrono::duration<double>(1 / plan_.rate));
    publisher_.send(protocol_.begin);
    auto last_progress = start_;
    std::uint64_t progress = 0;
    for (auto now = start_;; now = Clock::now()) {
        publish(now);
        if (is_complete()) return;
        wait(now);
        const std::uint64_t done = subscribers_.deliveries() + replies_ + sent_;
        if (std::exchange(progress, done) != done) {
            last_progress = now;
        } else if (now - last_progress > patience) {
            throw std::runtime_error("nothing has come for " + std::to_string(patience.count()) +
                                     " s: " + missing_text());
        }
    }
}

void Round::publish(Clock::time_point now) {
    while (publisher_.flush() && !is_ended_) {
        if (is_published(now)) {
            is_ended_ = true;
            publisher_.send(protocol_.end);
            continue;
        }
        const std::size_t count = permitted(now);
        if (count == 0) return;
        if (scenario_.is_one_at_a_time()) {
            now = Clock::now();
            subscribers_.take_latencies(now, std::chrono::duration<double>(0));
        }
        publisher_.send(first_ + sent_, count);
        sent_ += count;
    }
}

std::size_t Round::permitted(Clock::time_point now) const {
    const std::uint64_t left = std::min<std::uint64_t>(plan_.messages - sent_, Publisher::messages_at_once);
    const std::uint64_t unanswered = protocol_.replies_to_each ? sent_ - replies_ : 0;
    const std::uint64_t most =
        std::min({left, unanswered_most_ - std::min(unanswered, unanswered_most_),
                  scenario_.undelivered_most - std::min<std::uint64_t>(undelivered(), scenario_.undelivered_most)});
    if (plan_.rate > 0) {
        const double elapsed = std::chrono::duration<double>(now - start_).count();
        const auto due = static_cast<std::uint64_t>(elapsed * plan_.rate) + 1;
        return static_cast<std::size_t>(std::min(most, due - std::min(due, sent_)));
    }
    return most < std::min<std::uint64_t>(left, least_at_once_) ? 0 : static_cast<std::size_t>(most);
}

// Of the slowest subscriber, if all are equally fast.
std::uint64_t Round::undelivered() const {
    return sent_ - std::min(sent_, subscribers_.deliveries() / scenario_.deliveries_per_message());
}

bool Round::is_published(Clock::time_point now) const {
    if (sent_ == plan_.messages) return true;
    return plan_.seconds > 0 && sent_ > 0 && now - start_ >= std::chrono::duration<double>(plan_.seconds);
}

bool Round::is_complete() {
    return is_ended_ && publisher_.flush() && subscribers_.deliveries() >= sent_ * scenario_.deliveries_per_message() &&
           replies_ >= (protocol_.replies_to_each ? sent_ : 1);
}

void Round::wait(Clock::time_point now) {
    Clock::duration most = std::chrono::milliseconds(100);
    if (plan_.rate > 0 && !is_ended_) {
        const std::chrono::duration<double> after(static_cast<double>(sent_) / plan_.rate);
        const auto due = start_ + std::chrono::duration_cast<Clock::duration>(after);
        // What is due already waits for a delivery or a reply.
        if (due > now) most = std::min<Clock::duration>(most, due - now);
    }
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(most).count();
    const timespec timeout{ns / 1'000'000'000, ns % 1'000'000'000};
    std::array<epoll_event, 128> ready{};
    const int count = epoll_pwait2(epoll_, ready.data(), static_cast<int>(ready.size()), &timeout, nullptr);
    if (count < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "epoll_pwait2");
    for (int i = 0; i < count; ++i) {
        const epoll_event& event = ready[static_cast<std::size_t>(i)];
        if (event.data.u64 != publisher_index) {
            subscribers_.read(static_cast<std::size_t>(event.data.u64));
            continue;
        }
        publisher_.on_ready(event.events);
        if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read_replies();
    }
}

void Round::read_replies() {
    try {
        replies_ += publisher_.read_replies();
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(std::string(error.what()) + ": " + missing_text());
    }
}

double Round::seconds() const { return std::chrono::duration<double>(subscribers_.last_delivery() - start_).count(); }

std::string Round::missing_text() const {
    const std::uint64_t expected = sent_ * scenario_.deliveries_per_message();
    const std::uint64_t lost = expected - std::min(expected, subscribers_.deliveries());
    std::string text = std::to_string(lost) + " of " + std::to_string(expected) + " deliveries and ";
    const std::uint64_t replies = protocol_.replies_to_each ? sent_ : 1;
    text += std::to_string(replies - std::min(replies, replies_)) + " replies are missing";
    if (!publisher_.last_reply().empty()) text += "; the publisher read last: " + publisher_.last_reply();
    return text;
}

}  // namespace sluice::fanout
