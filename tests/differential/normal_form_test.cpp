// The normal form of XML against the canonical XML of libxml2: random trees, written in random ways, have equal digests
// if and only if their canonical forms are equal (Exclusive XML Canonicalization 1.0, without comments and the white
// space between elements).

#include <catch2/catch.hpp>
#include <libxml/c14n.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <memory>
#include <string>
#include <vector>

#include "protocol/feed/xml/xml_normal_form.hpp"
#include "protocol/feed/xml/xml_scanner.hpp"
#include "tests/differential/random.hpp"

using namespace sluice;

namespace {

struct Node {
    enum class Kind : std::uint8_t { element, text, instruction };
    Kind kind = Kind::element;
    std::string name;  // an element's, or an instruction's target
    std::string text;
    std::vector<std::pair<std::string, std::string>> attributes;
    std::vector<Node> children;
};

// Prefixes are the same in all documents: canonical XML keeps them.
const std::vector<std::string> node_names{"a", "b", "item", "n:a", "n:b", "dc:a"};
const std::vector<std::string> attribute_names{"a", "b", "n:a", "dc:a", "xml:lang"};
const std::vector<std::string> pieces{"x", "1",  " ", "  ",     "\n",     "&",   "<",
                                      ">", "\"", "'", "\u00E9", "\u65E5", "]]>", "\t"};

std::string random_text(Random& random) {
    std::string text;
    for (std::size_t n = random.between(1, 4); n > 0; --n) text += random.pick(pieces);
    return text;
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

Node random_element(Random& random, std::size_t depth) {
    Node element;
    element.name = random.pick(node_names);
    for (const std::string& name : attribute_names) {
        if (!random.chance(25)) continue;
        std::string value = random_text(random);
        for (char& c : value) c = c == '\n' || c == '\t' ? ' ' : c;
        element.attributes.emplace_back(name, value);
    }
    for (std::size_t n = depth == 0 ? 0 : random.below(5); n > 0; --n) {
        const std::size_t kind = random.below(10);
        const bool follows_text = !element.children.empty() && element.children.back().kind == Node::Kind::text;
        if (kind < 4 && !follows_text)
            element.children.push_back({Node::Kind::text, "", random_text(random), {}, {}});
        else if (kind == 9)
            element.children.push_back({Node::Kind::instruction, "p", random.chance(50) ? "q" : "", {}, {}});
        else
            element.children.push_back(random_element(random, depth - 1));
    }
    return element;
}

Node& random_node(Random& random, Node& root) {
    Node* node = &root;
    while (!node->children.empty() && random.chance(70)) node = &node->children[random.below(node->children.size())];
    return *node;
}

// Changes something, or perhaps nothing.
void change(Random& random, Node& root) {
    Node& node = random_node(random, root);
    if (node.kind == Node::Kind::text) {
        node.text = random.chance(50) ? random_text(random) : node.text + ' ';
    } else if (node.kind == Node::Kind::instruction) {
        node.text = "q";
    } else if (random.chance(30)) {
        node.name = random.pick(node_names);
    } else if (random.chance(40) && !node.attributes.empty()) {
        auto& attribute = node.attributes[random.below(node.attributes.size())];
        random.chance(50) ? attribute.second += 'y' : attribute.second = "x";
    } else if (random.chance(50) && !node.children.empty()) {
        node.children.erase(node.children.begin() + static_cast<std::ptrdiff_t>(random.below(node.children.size())));
    } else if (node.children.empty() || node.children.back().kind != Node::Kind::text) {
        node.children.push_back({Node::Kind::text, "", random.chance(50) ? " " : "x", {}, {}});
    }
}

class Writer {
public:
    explicit Writer(Random& random) : random_(random) {}

    std::string document(const Node& root) {
        out_ = random_.chance(30) ? "<?xml version='1.0'?>\n" : "";
        if (random_.chance(20)) out_ += "<!-- first -->\r\n";
        element(root, true);
        if (random_.chance(20)) out_ += "\n<!-- last -->";
        return std::move(out_);
    }

private:
    void space() { out_ += random_.pick(std::vector<std::string>{" ", "  ", "\n", "\t", "\r\n "}); }
    void maybe_space() {
        if (random_.chance(20)) space();
    }

    void element(const Node& node, bool is_root) {
        out_ += '<' + node.name;
        std::vector<std::pair<std::string, std::string>> attributes = node.attributes;
        if (is_root || random_.chance(20)) attributes.emplace_back("xmlns:n", "urn:n");
        if (is_root || random_.chance(20)) attributes.emplace_back("xmlns:dc", "http://purl.org/dc/elements/1.1/");
        if (random_.chance(10)) attributes.emplace_back("xmlns:unused", "urn:unused");
        while (!attributes.empty()) {
            const auto at = attributes.begin() + static_cast<std::ptrdiff_t>(random_.below(attributes.size()));
            space();
            out_ += at->first;
            maybe_space();
            out_ += '=';
            maybe_space();
            const char quote = random_.chance(50) ? '"' : '\'';
            out_ += quote;
            for (const char c : at->second) character(c, quote);
            out_ += quote;
            attributes.erase(at);
        }
        maybe_space();
        if (node.children.empty() && random_.chance(50)) {
            out_ += "/>";
            return;
        }
        out_ += '>';
        bool has_more_than_text = false;
        for (const Node& child : node.children) has_more_than_text |= child.kind != Node::Kind::text;
        bool may_add_space = has_more_than_text;
        for (const Node& child : node.children) {
            const bool is_text = child.kind == Node::Kind::text;
            if (may_add_space && (!is_text || is_blank(child.text))) between();
            if (is_text)
                text(child.text);
            else if (child.kind == Node::Kind::instruction)
                out_ += "<?" + child.name + (child.text.empty() ? "" : " " + child.text) + "?>";
            else
                element(child, false);
            may_add_space = has_more_than_text && (!is_text || is_blank(child.text));
        }
        if (may_add_space) between();
        out_ += "</" + node.name;
        maybe_space();
        out_ += '>';
    }

    void between() {
        if (random_.chance(30)) space();
        if (random_.chance(10)) out_ += "<!-- x -->";
        if (random_.chance(5)) out_ += "<![CDATA[ ]]>";
    }

    void text(const std::string& text) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool is_ascii = static_cast<unsigned char>(text[i]) < 0x80;
            if (random_.chance(5) && is_ascii) out_ += "<!--c-->";
            if (random_.chance(10) && is_ascii)
                out_ += "<![CDATA[" + std::string(1, text[i]) + "]]>";
            else
                character(text[i], '\0');
        }
    }

    // The quotation mark that ends the text, if one does.
    void character(char c, char quote) {
        const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
        if (c == '&')
            out_ += random_.chance(50) ? "&amp;" : "&#38;";
        else if (c == '<')
            out_ += random_.chance(50) ? "&lt;" : "&#x3C;";
        else if (c == '>')
            out_ += random_.chance(50) ? "&gt;" : "&#62;";
        else if (c == quote && quote != '\0')
            out_ += c == '"' ? "&quot;" : "&apos;";
        else if (c == '\n' && random_.chance(50))
            out_ += random_.chance(50) ? "\r\n" : "\r";
        else if (is_ascii && random_.chance(10))
            out_ += "&#" + std::to_string(static_cast<int>(c)) + ';';
        else
            out_ += c;
    }

    Random& random_;
    std::string out_;
};

// libxml2's side.

void remove_comments(xmlNodePtr parent) {
    for (xmlNodePtr node = parent->children; node;) {
        const xmlNodePtr next = node->next;
        if (node->type == XML_COMMENT_NODE) {
            xmlUnlinkNode(node);
            xmlFreeNode(node);
        } else if (node->type == XML_ELEMENT_NODE) {
            remove_comments(node);
        }
        node = next;
    }
}

void remove_blanks(xmlNodePtr parent) {
    for (xmlNodePtr node = parent->children; node && node->next;) {
        if (node->type == XML_TEXT_NODE && node->next->type == XML_TEXT_NODE) {
            xmlNodePtr second = node->next;
            xmlUnlinkNode(second);
            xmlNodeAddContent(node, second->content);
            xmlFreeNode(second);
        } else {
            node = node->next;
        }
    }
    const bool is_alone = parent->children && !parent->children->next;
    for (xmlNodePtr node = parent->children; node;) {
        const xmlNodePtr next = node->next;
        if (node->type == XML_TEXT_NODE && !is_alone && xmlIsBlankNode(node) == 1) {
            xmlUnlinkNode(node);
            xmlFreeNode(node);
        } else if (node->type == XML_ELEMENT_NODE) {
            remove_blanks(node);
        }
        node = next;
    }
}

std::string canonical(const std::string& xml) {
    const std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)> document(
        xmlReadMemory(xml.data(), static_cast<int>(xml.size()), nullptr, nullptr, XML_PARSE_NOCDATA | XML_PARSE_NONET),
        xmlFreeDoc);
    REQUIRE(document);
    remove_comments(xmlDocGetRootElement(document.get()));
    remove_blanks(xmlDocGetRootElement(document.get()));
    xmlChar* text = nullptr;
    const int size = xmlC14NDocDumpMemory(document.get(), nullptr, XML_C14N_EXCLUSIVE_1_0, nullptr, 0, &text);
    REQUIRE(size >= 0);
    const std::unique_ptr<xmlChar, decltype(xmlFree)> owned(text, xmlFree);
    return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)};
}

text::Digest digest(const std::string& xml) {
    const feed::IgnoredParts ignored;
    const auto scanned = feed::scan_xml(xml, feed::FeedLimits(), &ignored);
    CAPTURE(xml);
    REQUIRE(scanned.has_value());
    return scanned->normal_form.digest(0, xml);
}

}  // namespace

TEST_CASE("XmlNormalizer: digests are equal if and only if the canonical XML of libxml2 is") {
    Random random(50);
    std::size_t equal = 0, different = 0;
    for (int i = 0; i < 4'000; ++i) {
        Node tree = random_element(random, 4);
        const std::string first = Writer(random).document(tree);
        if (random.chance(60)) change(random, tree);
        const std::string second = Writer(random).document(tree);
        const bool are_equal = canonical(first) == canonical(second);
        CAPTURE(first, second);
        REQUIRE((digest(first) == digest(second)) == are_equal);
        ++(are_equal ? equal : different);
    }
    CHECK(equal > 1'000);
    CHECK(different > 1'000);
}
