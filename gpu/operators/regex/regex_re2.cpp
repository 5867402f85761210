#include <mutex>
#include <re2/re2.h>
#include <re2/set.h>
#include <unordered_map>

#include "gpu/operators/regex/regex.hpp"

namespace sluice {

namespace {

// What one expression may take for its program and for the automaton that grows as texts are searched, and what a set.
// (regex_fault() names the first.)
constexpr std::int64_t memory_bytes_max = 1 << 20, set_bytes_max = 16 << 20;

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options options(std::int64_t bytes_max = memory_bytes_max) {
    RE2::Options options(RE2::Quiet);
    options.set_never_capture(true);
    options.set_max_mem(bytes_max);
    return options;
}

class Re2Regex final : public Regex {
public:
    explicit Re2Regex(std::string_view expression) : expression_(piece(expression), options()) {}
    bool found_in(std::string_view text) const override { return RE2::PartialMatch(piece(text), expression_); }
    std::size_t instructions() const override { return static_cast<std::size_t>(expression_.ProgramSize()); }

private:
    RE2 expression_;
};

class Re2RegexSet final : public RegexSet {
public:
    bool compile(std::span<const std::string_view> expressions) {
        for (const std::string_view expression : expressions) {
            if (set_.Add(piece(expression), nullptr) < 0) return false;
        }
        return set_.Compile();
    }
    bool find(std::string_view text, std::vector<int>& found) const override {
        RE2::Set::ErrorInfo error{RE2::Set::kNoError};
        return set_.Match(piece(text), &found, &error) || error.kind == RE2::Set::kNoError;
    }

private:
    RE2::Set set_{options(set_bytes_max), RE2::UNANCHORED};
};

// Expressions in use, by their text. What nobody holds any more is dropped when the table has doubled.
class Compiled {
public:
    std::shared_ptr<const Regex> get(std::string_view expression) {
        const std::lock_guard lock(mutex_);
        std::weak_ptr<const Regex>& known = known_[std::string(expression)];
        std::shared_ptr<const Regex> regex = known.lock();
        if (!regex) known = regex = std::make_shared<Re2Regex>(expression);
        if (known_.size() > sweep_at_) {
            std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
            sweep_at_ = 2 * known_.size() + sweep_min;
        }
        return regex;
    }

private:
    static constexpr std::size_t sweep_min = 1024;

    std::mutex mutex_;
    std::unordered_map<std::string, std::weak_ptr<const Regex>> known_;
    std::size_t sweep_at_ = sweep_min;
};

}  // namespace

std::string regex_fault(std::string_view expression) {
    const RE2 compiled(piece(expression), options());
    if (compiled.ok()) return {};
    if (compiled.error_code() == RE2::ErrorPatternTooLarge)
        return "expected a smaller regular expression, whose automaton fits into 1 MiB";
    return "expected a regular expression in RE2's syntax: " + compiled.error();
}

std::unique_ptr<const RegexSet> compile_regex_set(std::span<const std::string_view> expressions) {
    auto set = std::make_unique<Re2RegexSet>();
    if (!set->compile(expressions)) return nullptr;
    return set;
}

std::shared_ptr<const Regex> compile_regex(std::string_view expression) {
    static Compiled compiled;
    return compiled.get(expression);
}

}  // namespace sluice
