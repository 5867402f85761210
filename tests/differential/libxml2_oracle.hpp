// libxml2's reading of a document and of XPath. It parses the text as it was published. Only the rule of names is not
// its own (tests/support/name_rule.hpp). One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// The value of an expression of any type.
struct OracleValue {
    enum class Type : std::uint8_t { nodes, boolean, number, string };

    Type type = Type::boolean;
    bool boolean = false;
    double number = 0;
    std::string string;
    std::vector<std::uint32_t> nodes;  // numbered as xpath::DocumentIndex numbers them
};

class Libxml2Document {
public:
    // `items`: XPath of the event elements. Throws std::runtime_error if the text is not well-formed.
    Libxml2Document(const std::string& xml, const std::string& items);
    ~Libxml2Document();

    std::uint32_t nodes() const;                      // excluding the document itself and namespace declarations
    const std::vector<std::uint32_t>& items() const;  // their numbers

    // Throws std::runtime_error if the expression is not XPath.
    OracleValue evaluate(const std::string& expression, std::uint32_t context) const;

    // By item: whether it is among the nodes that a path selects, or a condition holds for it.
    std::vector<bool> answers(const std::string& filter, bool selects) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Whether libxml2 is known to differ from XPath 1.0, or from our rule of names, on a filter: numbers as strings,
// following:: of attributes, the namespace axis, and XML ids.
bool libxml2_differs(std::string_view filter);

}  // namespace sluice
