#include "tests/differential/libxml2_oracle.hpp"

#include <algorithm>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <map>
#include <stdexcept>
#include <unordered_map>

#include "tests/support/name_rule.hpp"
#include "tests/support/oracle_limits.hpp"

namespace sluice {

namespace {

std::string_view text_of(const xmlChar* text) {
    return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view();
}
const xmlChar* xml(const std::string& text) { return reinterpret_cast<const xmlChar*>(text.c_str()); }

void be_silent(void*, const char*, ...) {}
void be_silent_too(void*, xmlErrorPtr) {}

struct Free {
    void operator()(xmlXPathObjectPtr object) const { xmlXPathFreeObject(object); }
    void operator()(xmlXPathContextPtr context) const { xmlXPathFreeContext(context); }
    void operator()(xmlXPathCompExprPtr expression) const { xmlXPathFreeCompExpr(expression); }
    void operator()(xmlDocPtr document) const { xmlFreeDoc(document); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

// Of names in filters; a document need not have them.
constexpr std::string_view asked_prefixes[] = {"alien", "atom", "atom_",  "atom_2", "content", "dc",     "dc_",
                                               "dc_2",  "geo",  "georss", "itunes", "media",   "media_", "media_2",
                                               "n",     "none", "own",    "rdf",    "rss",     "slash",  "thr",
                                               "wfw",   "x",    "xhtml",  "yt"};

}  // namespace

struct Libxml2Document::State {
    std::map<std::string, xmlNsPtr, std::less<>> prefixes;
    std::vector<xmlNodePtr> nodes;
    std::unordered_map<const void*, std::uint32_t> numbers;
    std::unordered_map<const void*, std::string> uris;  // of elements and attributes
    testing::NameRule names;
    std::vector<std::uint32_t> items;
    Owned<xmlDoc> document;
    Owned<xmlXPathContext> context;

    ~State() {
        context.reset();
        document.reset();
        for (auto& [prefix, ns] : prefixes) xmlFreeNs(ns);
    }

    // Stands for a namespace, so that names are compared as texts: "dc:" whatever it is declared as.
    xmlNsPtr name_space(std::string_view prefix) {
        const auto found = prefixes.find(prefix);
        if (found != prefixes.end()) return found->second;
        const std::string text(prefix), uri = "prefix:" + text;
        return prefixes.emplace(text, xmlNewNs(nullptr, xml(uri), xml(text))).first->second;
    }

    struct Written {
        std::string prefix, local, uri;
    };
    template <class Named>
    static Written written(const Named* node) {
        std::string name(text_of(node->name));
        if (node->ns) return {std::string(text_of(node->ns->prefix)), name, std::string(text_of(node->ns->href))};
        const std::size_t colon = name.find(':');
        if (colon == name.npos) return {"", name, ""};
        const std::string prefix = name.substr(0, colon);  // it is not declared
        return {prefix, name.substr(colon + 1), testing::NameRule::undeclared_uri(prefix)};
    }

    // Gives a node the name that filters see.
    template <class Named>
    void rename(Named* node, const Written& name, bool is_attribute) {
        uris.emplace(node, is_attribute && name.prefix.empty() ? "" : name.uri);
        const std::string prefix = names.prefix_of(name.prefix, name.uri, is_attribute);
        if (text_of(node->name) != name.local) xmlNodeSetName(reinterpret_cast<xmlNodePtr>(node), xml(name.local));
        if (prefix != "xml") node->ns = prefix.empty() ? nullptr : name_space(prefix);
    }

    void add(xmlNodePtr node) {
        numbers.emplace(node, static_cast<std::uint32_t>(nodes.size()));
        nodes.push_back(node);
        const bool is_element = node->type == XML_ELEMENT_NODE;
        if (is_element) {
            std::vector<testing::NameRule::Declaration> declarations;
            for (xmlNsPtr ns = node->nsDef; ns; ns = ns->next)
                declarations.push_back({std::string(text_of(ns->prefix)), std::string(text_of(ns->href))});
            const Written name = written(node);
            names.enter(name.prefix, name.local, name.uri, declarations);
            rename(node, name, false);
            for (xmlAttrPtr a = node->properties; a; a = a->next) {
                rename(a, written(a), true);
                numbers.emplace(a, static_cast<std::uint32_t>(nodes.size()));
                nodes.push_back(reinterpret_cast<xmlNodePtr>(a));
            }
        }
        for (xmlNodePtr child = node->children; child; child = child->next)
            if (child->type != XML_DTD_NODE) add(child);
        if (is_element) names.leave();
    }

    // namespace-uri(): libxml2's own would see the namespaces that stand for prefixes.
    static void namespace_uri(xmlXPathParserContextPtr parser, int arguments) {
        const State& state = *static_cast<const State*>(parser->context->user);
        const void* first = arguments == 0 ? parser->context->node : nullptr;
        xmlNodeSetPtr const set = arguments == 0 ? nullptr : xmlXPathPopNodeSet(parser);
        for (int i = 0; set && i < set->nodeNr; ++i) {
            const void* const node = set->nodeTab[i];
            if (!first || state.numbers.at(node) < state.numbers.at(first)) first = node;
        }
        xmlXPathFreeNodeSet(set);
        const auto found = state.uris.find(first);
        const std::string uri = found == state.uris.end() ? "" : found->second;
        valuePush(parser, xmlXPathNewString(xml(uri)));
    }
    void replace_namespace_uri() {
        context->user = this;
        const xmlChar* const name = reinterpret_cast<const xmlChar*>("namespace-uri");
        if (xmlXPathRegisterFunc(context.get(), name, nullptr) != 0 ||
            xmlXPathRegisterFunc(context.get(), name, namespace_uri) != 0)
            throw std::runtime_error("libxml2's namespace-uri() can't be replaced");
    }

    Owned<xmlXPathObject> evaluate(const std::string& expression, std::uint32_t at) {
        const Owned<xmlXPathCompExpr> compiled(xmlXPathCtxtCompile(context.get(), xml(expression)));
        if (!compiled) throw std::runtime_error("no XPath for libxml2: " + expression);
        return evaluate(compiled.get(), at, expression);
    }
    Owned<xmlXPathObject> evaluate(xmlXPathCompExprPtr compiled, std::uint32_t at, const std::string& expression) {
        context->node = nodes[at];
        context->contextSize = context->proximityPosition = 1;
        Owned<xmlXPathObject> value(xmlXPathCompiledEval(compiled, context.get()));
        if (!value) throw std::runtime_error("libxml2 can't evaluate " + expression);
        return value;
    }

    std::vector<std::uint32_t> numbers_of(const xmlXPathObject& object) const {
        std::vector<std::uint32_t> list;
        for (int i = 0; object.nodesetval && i < object.nodesetval->nodeNr; ++i)
            list.push_back(numbers.at(object.nodesetval->nodeTab[i]));
        std::sort(list.begin(), list.end());
        return list;
    }
};

Libxml2Document::Libxml2Document(const std::string& text, const std::string& items)
    : state_(std::make_unique<State>()) {
    xmlSetGenericErrorFunc(nullptr, be_silent);
    xmlSetStructuredErrorFunc(nullptr, be_silent_too);
    const int options = XML_PARSE_NOENT | XML_PARSE_NOCDATA | XML_PARSE_NONET | XML_PARSE_NOERROR |
                        XML_PARSE_NOWARNING | XML_PARSE_HUGE;
    state_->document.reset(xmlReadMemory(text.data(), static_cast<int>(text.size()), nullptr, nullptr, options));
    if (!state_->document) throw std::runtime_error("refused by libxml2");
    state_->add(reinterpret_cast<xmlNodePtr>(state_->document.get()));
    state_->context.reset(xmlXPathNewContext(state_->document.get()));
    state_->replace_namespace_uri();
    for (const std::string_view prefix : asked_prefixes) state_->name_space(prefix);
    for (const auto& [prefix, ns] : state_->prefixes) xmlXPathRegisterNs(state_->context.get(), xml(prefix), ns->href);
    state_->items = state_->numbers_of(*state_->evaluate(items, 0));
}

Libxml2Document::~Libxml2Document() = default;

std::uint32_t Libxml2Document::nodes() const { return static_cast<std::uint32_t>(state_->nodes.size()); }
const std::vector<std::uint32_t>& Libxml2Document::items() const { return state_->items; }

OracleValue Libxml2Document::evaluate(const std::string& expression, std::uint32_t context) const {
    const Owned<xmlXPathObject> object = state_->evaluate(expression, context);
    OracleValue value;
    switch (object->type) {
        case XPATH_NODESET:
            value.type = OracleValue::Type::nodes;
            value.nodes = state_->numbers_of(*object);
            break;
        case XPATH_NUMBER:
            value.type = OracleValue::Type::number;
            value.number = object->floatval;
            break;
        case XPATH_STRING:
            value.type = OracleValue::Type::string;
            value.string = text_of(object->stringval);
            break;
        default:
            value.boolean = object->boolval != 0;
            break;
    }
    return value;
}

std::vector<bool> Libxml2Document::answers(const std::string& filter, bool selects) const {
    std::vector<bool> answers;
    const Owned<xmlXPathCompExpr> compiled(xmlXPathCtxtCompile(state_->context.get(), xml(filter)));
    if (!compiled) throw std::runtime_error("no XPath for libxml2: " + filter);
    if (selects) {
        const auto nodes = state_->numbers_of(*state_->evaluate(compiled.get(), 0, filter));
        for (const std::uint32_t item : state_->items)
            answers.push_back(std::binary_search(nodes.begin(), nodes.end(), item));
        return answers;
    }
    for (const std::uint32_t item : state_->items)
        answers.push_back(xmlXPathCastToBoolean(state_->evaluate(compiled.get(), item, filter).get()) != 0);
    return answers;
}

bool libxml2_differs(std::string_view filter) {
    using enum filter::Expression::Kind;
    bool from_attributes = false, follows = false;
    const auto look = [&](const filter::Expression& e) {
        for (const filter::Step& step : e.steps) {
            if (step.axis == filter::Axis::name_space) return true;
            from_attributes |= step.axis == filter::Axis::attribute;
            follows |= step.axis == filter::Axis::following;
        }
        // libxml2 accepts "-" as a number, reads exponents, and rounds at each digit.
        if (e.kind == string && e.text.find('-') != std::string::npos) return true;
        const bool may_have_exponent = e.text.find_first_of("0123456789") < e.text.find_last_of("eE");
        if (e.kind == string && e.text.find_last_of("eE") != std::string::npos && may_have_exponent) return true;
        constexpr double exact_max = 1e15;
        if (e.kind == number && e.number > exact_max) return true;
        // libxml2 does not always treat "(a[x = 'y'] | b)[1]" like "(b | a[x = 'y'])[1]".
        if (e.kind == path && !e.operands.empty() && e.operands[0].kind == set_union && !e.predicates.empty())
            return true;
        if (e.kind != call) return false;
        if (e.text == "id") return true;
        // Above a billion libxml2 writes numbers with exponents.
        const auto is_number = [](const filter::Expression& part) { return part.type == filter::ValueType::number; };
        const bool takes_numbers = e.type == filter::ValueType::number || e.type == filter::ValueType::boolean;
        const bool takes_texts = e.text == "contains" || e.text == "starts-with" || e.text == "string-length";
        const std::size_t texts = e.text == "substring" ? 1 : e.operands.size();
        return (!takes_numbers || takes_texts) &&
               std::any_of(e.operands.begin(), e.operands.begin() + static_cast<std::ptrdiff_t>(texts), is_number);
    };
    return any_part(checked_expression(filter), look) || (from_attributes && follows);
}

}  // namespace sluice
