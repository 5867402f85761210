#include "gpu/operators/regex/regex_group.hpp"

#include <algorithm>
#include <chrono>

namespace sluice::regex {

namespace {

constexpr std::size_t together_min = 8;    // fewest expressions of a text worth a set
constexpr std::uint64_t trial_texts = 64;  // before the set is built, and again before it is judged

class Stopwatch {
public:
    std::uint64_t ns() const {
        const auto passed = std::chrono::steady_clock::now() - start_;
        return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

void RegexGroup::add(std::string_view expression) {
    expressions_.emplace_back(expression);
    compiled_.push_back(compile_regex(expression));
}

void RegexGroup::find(std::string_view text, std::span<const std::uint32_t> asked,
                      std::span<std::uint8_t> found) const {
    Trial& trial = *trial_;
    const State state = trial.state.load(std::memory_order_acquire);
    if (asked.size() < together_min || state == State::never) return find_alone(text, asked, found);
    const Stopwatch watch;
    if (state == State::alone) {
        find_alone(text, asked, found);
        trial.alone.add(watch.ns());
        if (trial.alone.texts.load() >= trial_texts) make_set();
        return;
    }
    const bool known = find_together(text, asked, found);
    if (!known) find_alone(text, asked, found);
    const std::uint64_t texts = trial.together.texts.load();
    if (known && texts > trial_texts) return;
    trial.together.add(watch.ns());
    // The set's first texts build its automaton and thus take longer than later ones, but they get no allowance for it.
    if (!known || (texts == trial_texts && trial.together.mean() > trial.alone.mean()))
        trial.state.store(State::never, std::memory_order_release);
}

void RegexGroup::find_alone(std::string_view text, std::span<const std::uint32_t> asked,
                            std::span<std::uint8_t> found) const {
    for (std::size_t i = 0; i < asked.size(); ++i) found[i] = compiled_[asked[i]]->found_in(text);
}

bool RegexGroup::find_together(std::string_view text, std::span<const std::uint32_t> asked,
                               std::span<std::uint8_t> found) const {
    thread_local std::vector<int> indices;
    indices.clear();
    if (!trial_->set->find(text, indices)) return false;
    std::array<std::uint8_t, expressions_max> is_found{};
    for (const int index : indices) is_found[static_cast<std::size_t>(index)] = 1;
    for (std::size_t i = 0; i < asked.size(); ++i) found[i] = is_found[asked[i]];
    return true;
}

void RegexGroup::make_set() const {
    const std::unique_lock lock(trial_->making, std::try_to_lock);
    if (!lock || trial_->state.load() != State::alone) return;
    const std::vector<std::string_view> views(expressions_.begin(), expressions_.end());
    trial_->set = compile_regex_set(views);
    trial_->state.store(trial_->set ? State::together : State::never, std::memory_order_release);
}

}  // namespace sluice::regex
