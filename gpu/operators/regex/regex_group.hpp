// Some expressions of a family, searched for one by one or, if many of them are asked for one text, as a set. The times
// of the first texts decide whether the set is built and used: building it takes milliseconds, and some expressions are
// slower together than alone. find() may be called from any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/operators/regex/regex.hpp"

namespace sluice::regex {

class RegexGroup {
public:
    static constexpr std::size_t expressions_max = 64;

    void add(std::string_view expression);
    std::size_t size() const { return expressions_.size(); }

    // Sets found[i] to whether expression asked[i] is found in the text.
    void find(std::string_view text, std::span<const std::uint32_t> asked, std::span<std::uint8_t> found) const;

private:
    enum class State : std::uint8_t { alone, together, never };
    // The number of texts and their total time in nanoseconds.
    struct Times {
        std::atomic<std::uint64_t> texts{0}, sum_ns{0};

        void add(std::uint64_t ns) {
            sum_ns.fetch_add(ns, std::memory_order_relaxed);
            texts.fetch_add(1, std::memory_order_relaxed);
        }
        double mean() const { return static_cast<double>(sum_ns.load()) / static_cast<double>(texts.load()); }
    };
    struct Trial {
        std::mutex making;
        std::unique_ptr<const RegexSet> set;
        std::atomic<State> state{State::alone};
        Times alone, together;
    };

    void find_alone(std::string_view text, std::span<const std::uint32_t> asked, std::span<std::uint8_t> found) const;
    bool find_together(std::string_view text, std::span<const std::uint32_t> asked,
                       std::span<std::uint8_t> found) const;
    void make_set() const;

    std::vector<std::string> expressions_;
    std::vector<std::shared_ptr<const Regex>> compiled_;
    std::unique_ptr<Trial> trial_ = std::make_unique<Trial>();
};

}  // namespace sluice::regex
