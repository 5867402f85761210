#include <algorithm>
#include <memory>
#include <mutex>
#include <re2/re2.h>
#include <re2/set.h>
#include <unordered_map>

#include "gpu/operators/regex/regex.hpp"

namespace sluice::regex {

namespace {

// RE2's memory limit for an expression. A third is for programs that are not needed here, a third for an automaton that
// grows as texts are searched. The first constant applies to all expressions; the others apply to long programs, whose
// states are as long. (The message of regex_fault() states the last one.)
constexpr std::int64_t bytes_usual = 256 << 10, bytes_of_instruction = 512, bytes_most = 1 << 20;
// The same for each expression of a set, whose automaton gets two thirds of it (regex_set_share_bytes).
constexpr std::int64_t set_bytes_of_expression = 128 << 10;

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options options(std::int64_t bytes_max) {
    RE2::Options options(RE2::Quiet);
    options.set_never_capture(true);
    options.set_max_mem(bytes_max);
    return options;
}

// The memory limit for the final compilation of an expression, given its first compilation.
std::int64_t bytes_for(const RE2& compiled) {
    if (!compiled.ok()) return bytes_most;
    return std::clamp(compiled.ProgramSize() * bytes_of_instruction, bytes_usual, bytes_most);
}

class Re2Regex final : public Regex {
public:
    explicit Re2Regex(std::string_view expression)
        : expression_(std::make_unique<RE2>(piece(expression), options(bytes_usual))) {
        if (const std::int64_t bytes = bytes_for(*expression_); bytes > bytes_usual)
            expression_ = std::make_unique<RE2>(piece(expression), options(bytes));
    }
    bool found_in(std::string_view text) const override { return RE2::PartialMatch(piece(text), *expression_); }
    std::size_t instructions() const override { return static_cast<std::size_t>(expression_->ProgramSize()); }
    // RE2 takes two thirds of its limit, subtracts the program, and gives its automaton half of the rest.
    std::size_t bytes_max() const override {
        constexpr std::size_t object_bytes = 4096, instruction_bytes = 16, syntax_bytes = 16;
        const std::size_t program = instruction_bytes * instructions();
        const auto allowed = 2 * static_cast<std::size_t>(expression_->options().max_mem()) / 3;
        const std::size_t automaton = (allowed - std::min(allowed, program)) / 2;
        return object_bytes + syntax_bytes * expression_->pattern().size() + program + automaton;
    }

private:
    std::unique_ptr<RE2> expression_;
};

class Re2RegexSet final : public RegexSet {
public:
    explicit Re2RegexSet(std::size_t expressions)
        : set_(options(static_cast<std::int64_t>(expressions) * set_bytes_of_expression), RE2::UNANCHORED) {}
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
    RE2::Set set_;
};

// Expressions in use, by text. Entries that nobody holds any more are dropped when the table has doubled in size.
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
    const RE2 compiled(piece(expression), options(bytes_most));
    if (compiled.ok()) return {};
    if (compiled.error_code() == RE2::ErrorPatternTooLarge)
        return "expected a smaller regular expression, whose automaton fits into 1 MiB";
    return "expected a regular expression in RE2's syntax: " + compiled.error();
}

std::unique_ptr<const RegexSet> compile_regex_set(std::span<const std::string_view> expressions) {
    auto set = std::make_unique<Re2RegexSet>(expressions.size());
    if (!set->compile(expressions)) return nullptr;
    return set;
}

std::shared_ptr<const Regex> compile_regex(std::string_view expression) {
    static Compiled compiled;
    return compiled.get(expression);
}

}  // namespace sluice::regex
