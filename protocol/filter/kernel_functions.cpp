#include "protocol/filter/kernel_functions.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/filter/fault.hpp"
#include "protocol/filter/functions.hpp"
#include "protocol/filter/operand.hpp"
#include "protocol/filter/writer.hpp"

namespace sluice::xpath {

namespace {

using Kind = Expression::Kind;

constexpr std::string_view nucleotides = "ACGTURYSWKMBDHVN";  // IUPAC
constexpr std::string_view amino_acids = "ARNDCQEGHILKMFPSTWYVBZX*";

[[noreturn]] void refuse(const Expression& call, std::size_t argument, const std::string& expected) {
    throw Fault{call.operands[argument].offset,
                call.text + "(): expected " + expected + ", not " + write(call.operands[argument])};
}

void check_searched(const Expression& call) {
    const Expression& argument = call.operands[0];
    if (is_constant(argument)) refuse(call, 0, "a path or a variable as first argument");
    const std::optional<Operand> operand = as_operand(argument, 0);
    if (!operand || !string_of(*operand))
        refuse(call, 0, "a path without predicates that starts at the item, or a variable, as first argument");
}

const std::string& constant_text(const Expression& call, std::size_t argument, const std::string& what) {
    const Expression& e = call.operands[argument];
    if (e.kind != Kind::string) refuse(call, argument, "a constant " + what);
    if (e.text.empty()) refuse(call, argument, "a " + what + " that is not empty");
    return e.text;
}

void check_whole_number(const Expression& call, std::size_t argument, double least, const std::string& what) {
    const Expression& e = call.operands[argument];
    const bool whole =
        e.kind == Kind::number && e.number >= least && e.number == std::floor(e.number) && !std::isinf(e.number);
    if (!whole) refuse(call, argument, what + " as a constant whole number from " + write_number(least));
}

void check_epsilon(const Expression& call) {
    const Expression& e = call.operands[1];
    if (e.kind != Kind::number || !(e.number > 0) || std::isinf(e.number))
        refuse(call, 1, "epsilon as a constant number above 0");
}

void check_cost_table(const Expression& call) {
    if (call.operands.size() < 3) return;
    const std::string& name = constant_text(call, 2, "name of a cost table");
    if (name != "unit" && name != "typing" && name != "vowels")
        refuse(call, 2, "the cost table 'unit', 'typing' or 'vowels'");
}

std::optional<std::vector<int>> parse_integers(std::string_view list) {
    std::vector<int> numbers;
    for (bool more = true; more;) {
        const std::size_t comma = list.find(',');
        const std::string_view item = list.substr(0, comma);
        int number = 0;
        const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), number);
        if (error != std::errc() || end != item.data() + item.size()) return std::nullopt;
        numbers.push_back(number);
        more = comma != std::string_view::npos;
        if (more) list.remove_prefix(comma + 1);
    }
    return numbers;
}

// The letters that sequences under the scheme are made of.
std::string_view check_scheme(const Expression& call) {
    const std::string scheme = call.operands.size() < 3 ? "dna" : constant_text(call, 2, "name of a scheme");
    constexpr int score_max = 1000;
    const auto penalty = [](int score) { return score < 0 && score >= -score_max; };
    if (scheme == "dna") return nucleotides;
    if (scheme.starts_with("dna:")) {
        const auto n = parse_integers(std::string_view(scheme).substr(4));
        const bool right = n && n->size() == 4 && (*n)[0] > 0 && (*n)[0] <= score_max && penalty((*n)[1]) &&
                           penalty((*n)[2]) && penalty((*n)[3]);
        if (!right)
            refuse(call, 2,
                   "'dna:match,mismatch,first,extend' with whole numbers, the first positive and the others negative");
        return nucleotides;
    }
    if (scheme.starts_with("blosum62:")) {
        const auto n = parse_integers(std::string_view(scheme).substr(9));
        if (!n || n->size() != 2 || !penalty((*n)[0]) || !penalty((*n)[1]))
            refuse(call, 2, "'blosum62:open,extend' with two negative whole numbers");
        return amino_acids;
    }
    refuse(call, 2, "the scheme 'dna', 'dna:match,mismatch,first,extend' or 'blosum62:open,extend'");
}

void check_sequence(const Expression& call) {
    const std::string& sequence = constant_text(call, 1, "sequence");
    const std::string_view letters = check_scheme(call);
    for (const char c : sequence) {
        const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        if (letters.find(upper) == std::string_view::npos)
            refuse(call, 1, "a sequence of the letters " + std::string(letters));
    }
}

}  // namespace

bool is_kernel_call(const Expression& e) {
    return e.kind == Kind::call && find_function(e.text)->origin == Function::Origin::kernel;
}

void check_kernel_call(const Expression& call) {
    check_searched(call);
    if (call.text == "matches") {
        constant_text(call, 1, "regular expression");
    } else if (call.text == "approx-contains") {
        constant_text(call, 1, "pattern");
        check_whole_number(call, 2, 0, "the number of edits");
    } else if (call.text == "approx-distance" || call.text == "edit-distance") {
        constant_text(call, 1, "pattern");
        check_cost_table(call);
    } else if (call.text == "align" || call.text == "align-global") {
        check_sequence(call);
    } else {  // laminarity, determinism, recurrence-rate
        check_epsilon(call);
        if (call.operands.size() > 2) check_whole_number(call, 2, 2, "the shortest line");
    }
}

void refuse_kernel_call(const Expression& call) {
    check_kernel_call(call);
    throw Fault{call.offset, call.text + "() is not available in this build"};
}

}  // namespace sluice::xpath
