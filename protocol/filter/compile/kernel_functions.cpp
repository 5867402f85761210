#include "protocol/filter/compile/kernel_functions.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/filter/compile/operand.hpp"
#include "protocol/filter/syntax/fault.hpp"
#include "protocol/filter/syntax/functions.hpp"
#include "protocol/filter/syntax/quotes.hpp"
#include "protocol/filter/syntax/writer.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

constexpr std::string_view nucleotides = "ACGTURYSWKMBDHVN";             // IUPAC
constexpr std::string_view amino_acids = "ARNDCQEGHILKMFPSTWYVBZX*JOU";  // IUPAC; the last three score as X
constexpr std::string_view default_scheme = "dna:1,-3,-5,-2";
constexpr std::pair<std::string_view, std::string_view> usual_schemes[] = {
    {"dna", default_scheme}, {"blosum62", "blosum62:-11,-1"}, {"blosum50", "blosum50:-13,-2"}};
constexpr std::string_view default_costs = "unit";
constexpr std::uint32_t default_line = 2;

struct Name {
    std::string_view function;
    engine::Measure::Kind kind;
};
constexpr Name kernel_names[] = {
    {"matches", engine::Measure::Kind::matches},
    {"approx-distance", engine::Measure::Kind::approx_distance},
    {"edit-distance", engine::Measure::Kind::edit_distance},
    {"align", engine::Measure::Kind::align},
    {"align-global", engine::Measure::Kind::align_global},
    {"laminarity", engine::Measure::Kind::laminarity},
    {"determinism", engine::Measure::Kind::determinism},
    {"recurrence-rate", engine::Measure::Kind::recurrence_rate},
};
constexpr std::string_view approx_contains = "approx-contains";  // a comparison of approx-distance()

// `demand` is a full requirement: "the number of edits must be …"
[[noreturn]] void refuse_as(const Expression& call, std::size_t argument, const std::string& demand) {
    const Expression& given = call.operands[argument];
    const bool is_nan = given.kind == Kind::number && std::isnan(given.number);
    throw Fault{given.offset, call.text + "(): " + demand + ", not " + (is_nan ? "NaN (not a number)" : write(given)) +
                                  suggest_quotes(given)};
}

[[noreturn]] void refuse(const Expression& call, std::size_t argument, const std::string& expected) {
    refuse_as(call, argument, "expected " + expected);
}

// For arguments that are too long to quote.
[[noreturn]] void refuse_size(const Expression& call, std::size_t argument, const std::string& what, std::size_t size,
                              const std::string& unit, std::size_t size_max, const std::string& option) {
    throw Fault{call.operands[argument].offset, call.text + "(): " + what + " is " + std::to_string(size) + " " + unit +
                                                    " long, more than " + std::to_string(size_max) + " (" + option +
                                                    ")"};
}

const std::string& constant_text(const Expression& call, std::size_t argument, const std::string& what) {
    const Expression& e = call.operands[argument];
    if (e.kind != Kind::string) refuse(call, argument, "a constant " + what);
    if (e.text.empty()) refuse(call, argument, "a " + what + " that is not empty");
    return e.text;
}

double whole_number(const Expression& call, std::size_t argument, double least, const std::string& what) {
    const Expression& e = call.operands[argument];
    const bool whole = e.kind == Kind::number && e.number >= least && e.number == std::floor(e.number);
    if (!whole || std::isinf(e.number))
        refuse_as(call, argument, what + " must be a constant whole number of at least " + write_number(least));
    return e.number;
}

double edits(const Expression& call, const FilterLimits& limits) {
    const double k = whole_number(call, 2, 0, "the number of edits");
    if (k > static_cast<double>(limits.edits_max))
        throw Fault{call.operands[2].offset, call.text + "(): expected at most " + std::to_string(limits.edits_max) +
                                                 " edits, not " + write_number(k) + " (limits.filter_edits)"};
    return k;
}

std::string pattern(const Expression& call, const std::string& what, const FilterLimits& limits) {
    const std::string& text = constant_text(call, 1, what);
    if (text.size() > limits.pattern_bytes_max)
        refuse_size(call, 1, "the " + what, text.size(), "bytes", limits.pattern_bytes_max,
                    "limits.filter_pattern_bytes");
    return text;
}

std::string cost_table(const Expression& call) {
    if (call.operands.size() < 3) return std::string(default_costs);
    const std::string& name = constant_text(call, 2, "name of a cost table");
    if (name != "unit" && name != "typing" && name != "vowels")
        refuse(call, 2, "the cost table 'unit', 'typing' or 'vowels'");
    return name;
}

std::string without_space(std::string_view text) {
    std::string rest;
    for (const char c : text)
        if (std::string_view(" \t\r\n\f\v").find(c) == std::string_view::npos) rest += c;
    return rest;
}

// Parses integers with or without a sign, separated by commas.
std::optional<std::vector<int>> parse_integers(std::string_view list) {
    std::vector<int> numbers;
    for (bool more = true; more;) {
        const std::size_t comma = list.find(',');
        std::string_view item = list.substr(0, comma);
        if (item.starts_with('+') && !item.starts_with("+-")) item.remove_prefix(1);
        int number = 0;
        const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), number);
        if (error != std::errc() || end != item.data() + item.size()) return std::nullopt;
        numbers.push_back(number);
        more = comma != std::string_view::npos;
        if (more) list.remove_prefix(comma + 1);
    }
    return numbers;
}

std::string join(std::string name, const std::vector<int>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) name += (i == 0 ? ":" : ",") + std::to_string(numbers[i]);
    return name;
}

constexpr int score_max = 1000;

// The numbers after a scheme's name, `count` of them as described by `members`. The last two are gap costs; they may be
// written with or without a minus and are normalised to have it.
std::vector<int> scheme_numbers(const Expression& call, const std::string& list, std::size_t count,
                                const std::string& members) {
    auto numbers = parse_integers(list);
    if (!numbers || numbers->size() != count)
        refuse(call, 2, "'" + members + "' with " + std::to_string(count) + " whole numbers");
    for (int& n : *numbers) {
        if (n < -score_max || n > score_max)
            refuse(call, 2, "'" + members + "' with numbers up to " + std::to_string(score_max));
        if (&n >= numbers->data() + count - 2) n = n > 0 ? -n : n;
    }
    if (numbers->at(count - 2) == 0 || numbers->at(count - 1) == 0)
        refuse(call, 2, "'" + members + "' with gaps that cost something");
    return *numbers;
}

std::string dna_scheme(const Expression& call, const std::string& list) {
    const std::string members = "dna:match,mismatch,first,extend";
    const auto numbers = scheme_numbers(call, list, 4, members);
    if (numbers[0] <= 0) refuse(call, 2, "'" + members + "' with a match above 0");
    if (numbers[1] >= 0) refuse(call, 2, "'" + members + "' with a mismatch below 0");
    return join("dna", numbers);
}

// The scheme in the spelling of Measure::scheme. Case and white space are ignored.
std::string scheme_of(const Expression& call) {
    if (call.operands.size() < 3) return std::string(default_scheme);
    std::string scheme = without_space(constant_text(call, 2, "name of a scheme"));
    for (char& c : scheme) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (const auto& [name, full] : usual_schemes)
        if (scheme == name) return std::string(full);
    const std::size_t colon = scheme.find(':');
    const std::string name = scheme.substr(0, colon);
    const std::string list = colon == std::string::npos ? "" : scheme.substr(colon + 1);
    if (name == "dna") return dna_scheme(call, list);
    if (name == "blosum62" || name == "blosum50")
        return join(name, scheme_numbers(call, list, 2, name + ":first,extend"));
    refuse(call, 2,
           "the scheme 'dna', 'dna:match,mismatch,first,extend', 'blosum62', 'blosum62:first,extend', 'blosum50' or "
           "'blosum50:first,extend'");
}

std::string sequence(const Expression& call, const std::string& scheme, const FilterLimits& limits) {
    std::string letters = without_space(constant_text(call, 1, "sequence"));
    if (letters.empty()) refuse(call, 1, "a sequence that is not empty");
    if (letters.size() > limits.sequence_letters_max)
        refuse_size(call, 1, "the sequence", letters.size(), "letters", limits.sequence_letters_max,
                    "limits.filter_sequence_letters");
    const std::string_view known = scheme.starts_with("dna") ? nucleotides : amino_acids;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        char& c = letters[i];
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        if (known.find(c) != std::string_view::npos) continue;
        const bool printable = c > ' ' && c < '\x7f';
        throw Fault{call.operands[1].offset,
                    call.text + "(): expected a sequence of the letters " + std::string(known) + ", but letter " +
                        std::to_string(i + 1) + " is " +
                        (printable ? "'" + std::string(1, c) + "'" : "not a printable ASCII character") +
                        (scheme.starts_with("dna") && amino_acids.find(c) != std::string_view::npos
                             ? " (for a protein, name a scheme: 'blosum62')"
                             : "")};
    }
    return letters;
}

double epsilon(const Expression& call) {
    const Expression& e = call.operands[1];
    if (e.kind != Kind::number || !(e.number > 0) || std::isinf(e.number))
        refuse(call, 1, "epsilon as a constant number above 0");
    return e.number;
}

std::uint32_t shortest_line(const Expression& call) {
    constexpr double line_max = 1e6;
    if (call.operands.size() < 3) return default_line;
    const double line = whole_number(call, 2, 2, "the shortest line");
    if (line > line_max) refuse(call, 2, "the shortest line up to " + write_number(line_max));
    return static_cast<std::uint32_t>(line);
}

engine::Measure measure_of(const Expression& call, engine::Measure::Kind kind, const FilterLimits& limits) {
    engine::Measure m;
    m.kind = kind;
    switch (kind) {
        case engine::Measure::Kind::matches:
            m.operand = pattern(call, "regular expression", limits);
            break;
        case engine::Measure::Kind::approx_distance:
        case engine::Measure::Kind::edit_distance:
            m.operand = pattern(call, "pattern", limits);
            m.scheme = call.text == approx_contains ? std::string(default_costs) : cost_table(call);
            break;
        case engine::Measure::Kind::align:
        case engine::Measure::Kind::align_global:
            m.scheme = scheme_of(call);
            m.operand = sequence(call, m.scheme, limits);
            break;
        case engine::Measure::Kind::laminarity:
        case engine::Measure::Kind::determinism:
            m.epsilon = epsilon(call);
            m.line_min = shortest_line(call);
            break;
        case engine::Measure::Kind::recurrence_rate:
            m.epsilon = epsilon(call);
            break;
    }
    return m;
}

const Name& name_of(engine::Measure::Kind kind) {
    return *std::find_if(std::begin(kernel_names), std::end(kernel_names),
                         [&](const Name& n) { return n.kind == kind; });
}

}  // namespace

bool is_kernel_call(const Expression& e) {
    return e.kind == Kind::call && find_function(e.text)->origin == Function::Origin::kernel;
}

KernelCall compile_kernel_call(const Expression& call, const FilterLimits& limits) {
    const std::string_view function = call.text == approx_contains ? "approx-distance" : std::string_view(call.text);
    const Name& name = *std::find_if(std::begin(kernel_names), std::end(kernel_names),
                                     [&](const Name& n) { return n.function == function; });
    KernelCall compiled;
    compiled.measure = measure_of(call, name.kind, limits);
    if (call.text == approx_contains) {
        compiled.op = engine::Operator::less_equal;
        compiled.number = edits(call, limits);
    }
    if (const std::string fault = engine::invalid_reason(compiled.measure); !fault.empty())
        throw Fault{call.operands[1].offset, call.text + "(): " + fault};
    return compiled;
}

Attribute searched_attribute(const Expression& call, std::size_t parents) {
    const Expression& argument = call.operands[0];
    if (is_constant(argument)) refuse(call, 0, "a path or a variable as first argument");
    const std::optional<Operand> operand = as_operand(argument, parents);
    if (!operand || !is_textual(operand->type))
        refuse(call, 0, "a path without predicates that starts at the item, or a variable, as first argument");
    return operand->attribute;
}

std::string measure_text(const std::string& attribute, const engine::Measure& m) {
    std::string text = std::string(name_of(m.kind).function) + "(" + attribute + ", ";
    text += m.operand.empty() ? write_number(m.epsilon) : write_string(m.operand);
    if (!m.scheme.empty() && m.scheme != default_costs && m.scheme != default_scheme)
        text += ", " + write_string(m.scheme);
    if (m.line_min != 0 && m.line_min != default_line) text += ", " + std::to_string(m.line_min);
    return text + ")";
}

}  // namespace sluice::filter
