// Any expression on any small document, within a budget: gives a value or exhausts the budget, takes the same steps a
// second time, ends at half of them if it may take no more, and holds no memory afterwards. The input is an expression,
// a line feed, and a document as letters: "(" and ")" open and close an element, "@" adds an attribute, others are
// text.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "protocol/filter/evaluator/document_index_builder.hpp"
#include "protocol/filter/evaluator/evaluator.hpp"
#include "protocol/filter/syntax/fault.hpp"
#include "tests/support/conditions.hpp"

namespace {

using namespace sluice::xpath;

constexpr std::uint64_t steps_max = 1'000'000;
constexpr std::size_t bytes_max = 8u << 20;

void require(bool condition, std::string_view what) {
    if (condition) return;
    std::cerr << what << "\n";
    std::abort();
}

// Texts shown by an index must outlive it.
const char* text_of(char letter) {
    static const auto texts = [] {
        std::array<std::array<char, 2>, 256> all{};
        for (std::size_t i = 0; i < all.size(); ++i) all[i][0] = static_cast<char>(i);
        return all;
    }();
    return texts[static_cast<unsigned char>(letter)].data();
}

DocumentIndex document(std::string_view letters) {
    constexpr const char* names[] = {"a", "b", "p:a"};
    DocumentIndexBuilder builder;
    std::size_t depth = 0, number = 0;
    bool opened = false;
    for (const char& letter : letters) {
        const char* const name = names[++number % 3];
        if (letter == '(') {
            builder.open_element(name);
            ++depth;
        } else if (letter == ')' && depth > 0) {
            builder.close_element();
            --depth;
        } else if (letter == '@' && opened) {
            builder.attribute(name, name);
        } else if (letter == '!') {
            builder.comment(name);
        } else if (letter == '?') {
            builder.processing_instruction(name, name);
        } else {
            builder.text(text_of(letter));
        }
        opened = letter == '(' || (letter == '@' && opened);
    }
    for (; depth > 0; --depth) builder.close_element();
    return builder.finish();
}

// Returns the steps that the evaluation took, at most `budget`.
std::uint64_t evaluate(const Condition& condition, const DocumentIndex& index, Node context,
                       std::uint64_t budget = steps_max) {
    Meter meter;
    meter.begin(budget);
    MeteredMemory memory;
    memory.begin(bytes_max);
    VariableValues variables;
    variables.texts = {"a", "12"};
    variables.ranges.assign(12, {0, 2});
    {
        KnownParts parts(condition, index, &memory);
        const Evaluator evaluator(condition, index, &variables, parts, meter, &memory);
        try {
            evaluator.boolean(context);
            evaluator.string(context);
            evaluator.number(context);
        } catch (const OverBudget&) {
        }
    }
    require(memory.held() == 0, "memory is held");
    require(meter.spent() <= budget, "more spent than allowed");
    return meter.spent();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t line = input.find('\n');
    if (line == input.npos) return 0;
    try {
        const auto condition = sluice::make_condition(input.substr(0, line));
        // Only the index evaluates the added functions.
        if (input.substr(0, line).find("-case") != input.npos || input.substr(0, line).find("date") != input.npos)
            return 0;
        const DocumentIndex index = document(input.substr(line + 1));
        for (Node context = 0; context < std::min<Node>(index.size(), 4); ++context) {
            const auto first = evaluate(*condition, index, context);
            require(evaluate(*condition, index, context) == first, "other steps");
            require(evaluate(*condition, index, context, first / 2) == first / 2, "not ended at its budget");
        }
    } catch (const sluice::filter::Fault&) {
    }
    return 0;
}
