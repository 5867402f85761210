#include "tests/differential/random_document.hpp"

#include <cstdio>
#include <map>
#include <string_view>
#include <vector>

#include "protocol/text/utf8.hpp"
#include "tests/differential/random_values.hpp"

namespace sluice {

namespace {

// Writes a text into XML: escapes what it must, in any of the possible forms, and sometimes more.
class TextWriter {
public:
    TextWriter(Random& random, std::string& out) : random_(random), out_(out) {}

    void text(std::string_view value) {
        if (random_.chance(8) && !value.empty() && value.find("]]>") == std::string_view::npos) {
            // Often next to other text, with which it forms one text node.
            if (random_.chance(30)) out_ += random_.chance(50) ? " " : "x";
            out_.append("<![CDATA[").append(value).append("]]>");
            if (random_.chance(30)) out_ += random_.chance(50) ? "\n" : "y";
            return;
        }
        for (std::size_t i = 0; i < value.size(); i += text::utf8_at(value, i).length) {
            if (random_.chance(1)) out_ += random_.chance(50) ? "<!-- c -->" : "<?pi x?>";
            character(value, i, false);
        }
    }

    void attribute_value(std::string_view value) {
        out_ += '"';
        for (std::size_t i = 0; i < value.size(); i += text::utf8_at(value, i).length) character(value, i, true);
        out_ += '"';
    }

private:
    void character(std::string_view value, std::size_t at, bool in_attribute) {
        const text::Utf8Char c = text::utf8_at(value, at);
        const bool must = c.code == '&' || c.code == '<' || c.code == '>' ||
                          (in_attribute && (c.code == '"' || c.code == '\n' || c.code == '\t'));
        if (!must && !random_.chance(3)) {
            out_ += value.substr(at, c.length);
        } else if (c.code == '&' && random_.chance(50)) {
            out_ += "&amp;";
        } else if (c.code == '<' && random_.chance(50)) {
            out_ += "&lt;";
        } else if (c.code == '>' && random_.chance(50)) {
            out_ += "&gt;";
        } else {
            char reference[16];
            const auto code = static_cast<unsigned>(c.code);
            std::snprintf(reference, sizeof reference, random_.chance(50) ? "&#%u;" : "&#x%x;", code);
            out_ += reference;
        }
    }

    Random& random_;
    std::string& out_;
};

// A namespace prefix is written as \1, its customary name and a colon; resolve() inserts the document's prefix.
struct Namespace {
    std::string_view marker;
    std::string_view uri;
    std::string_view customary;
};

constexpr Namespace namespaces[] = {
    {"atom", "http://www.w3.org/2005/Atom", ""},
    {"rss", "http://purl.org/rss/1.0/", ""},
    {"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:"},
    {"dc", "http://purl.org/dc/elements/1.1/", "dc:"},
    {"media", "http://search.yahoo.com/mrss/", "media:"},
    {"own", "http://example.org/own", "own:"},
};

// Deletes the colon before it: the prefix is then the declared name.
constexpr char declaration_end = '\2';

using Prefixes = std::map<std::string_view, std::string>;

std::string resolve(std::string_view text, const Prefixes& prefixes) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '\1') {
            const std::size_t colon = text.find(':', at);
            out += prefixes.at(text.substr(at + 1, colon - at - 1));
            at = colon + 1;
        } else if (text[at] == declaration_end) {
            out.pop_back();
            ++at;
        } else {
            out += text[at++];
        }
    }
    return out;
}

class DocumentWriter {
public:
    DocumentWriter(Random& random, const DocumentStyle& style) : random_(random), style_(style), text_(random, out_) {}

    RandomDocument write() {
        switch (random_.below(4)) {
            case 0:
                return rss();
            case 1:
                return rdf();
            case 2:
                return atom();
            default:
                return generic();
        }
    }

private:
    std::string_view value() { return random_value(random_, style_); }
    std::size_t few() { return random_.pick(std::vector<std::size_t>{0, 1, 1, 1, 2, 3}); }

    void attribute(std::string_view name, std::string_view value) {
        out_.append(" ").append(name).append("=");
        text_.attribute_value(value);
    }

    // An element with text and, sometimes, attributes and elements among the text.
    void leaf(std::string_view name, std::string_view value) {
        out_.append("<").append(name);
        if (random_.chance(15)) attribute("type", random_.chance(50) ? "text" : value);
        if (random_.chance(6)) attribute("lang", "en");
        if (value.empty() && random_.chance(70)) {
            out_ += "/>";
            return;
        }
        out_ += '>';
        const std::size_t split = random_.chance(10) ? random_.below(value.size() + 1) : value.size();
        const bool at_boundary = split == value.size() || (static_cast<unsigned char>(value[split]) & 0xC0) != 0x80;
        text_.text(at_boundary ? value.substr(0, split) : value);
        if (split != value.size() && at_boundary) {
            out_ += "<b>";
            text_.text(value.substr(split));
            out_ += "</b>";
            if (random_.chance(30)) out_ += random_.chance(50) ? " " : "\n  ";
            if (random_.chance(30)) out_ += "<i>z</i>";
            if (random_.chance(40)) text_.text(this->value());
        }
        if (random_.chance(4)) out_ += random_.chance(50) ? "<!-- a 12 -->" : "<?go 12?>";
        out_.append("</").append(name).append(">");
        if (random_.chance(10)) out_ += random_.chance(50) ? "\n  " : "\r\n";
    }

    void leaves(std::string_view name, std::size_t count) {
        for (; count > 0; --count) leaf(name, value());
    }

    void nested() {
        out_ += "<author>";
        if (random_.chance(80)) leaf("name", value());
        if (random_.chance(40)) leaf("email", value());
        out_ += "</author>";
    }

    void empty(std::string_view name, std::initializer_list<std::string_view> attributes) {
        out_.append("<").append(name);
        for (const std::string_view a : attributes) {
            if (random_.chance(70)) attribute(a, value());
        }
        out_ += "/>";
    }

    // The children of an item, in random order; most are missing or repeated at times.
    void children(bool is_atom) {
        const std::string p = is_atom ? "\1atom:" : plain_;
        for (std::size_t n = random_.between(2, 9); n > 0; --n) {
            switch (random_.below(15)) {
                case 0:
                    leaf(p + "title", value());
                    break;
                case 1:
                    leaf(p + "link", value());
                    break;
                case 2:
                    leaves(p + "category", few());
                    break;
                case 3:
                    leaf("price", random_number(random_, style_));
                    break;
                case 4:
                    leaves("tag", random_.between(1, 3));
                    break;
                case 5:
                    nested();
                    break;
                case 6:
                    empty("enclosure", {"url", "length", "type"});
                    break;
                case 7:
                    leaf("\1dc:creator", value());
                    break;
                case 8:
                    leaves("\1dc:subject", few());
                    break;
                case 9:
                    media();
                    break;
                case 10:
                    leaf("\1own:score", random_number(random_, style_));
                    break;
                case 11:
                    leaf(p + "description", value());
                    break;
                case 12:
                    empty(p + "category", {"term", "scheme"});
                    break;
                case 13:
                    leaf("\1atom:link", value());
                    break;
                default:
                    text_.text(value());
                    break;
            }
        }
    }

    void media() {
        out_ += "<\1media:group>";
        for (std::size_t n = random_.between(1, 3); n > 0; --n) empty("\1media:content", {"url", "width", "\1media:x"});
        out_ += "</\1media:group>";
    }

    void item(const std::string& name, bool is_atom) {
        out_.append("<").append(name);
        if (random_.chance(30)) attribute("id", value());
        if (random_.chance(20)) attribute("\1rdf:about", value());
        if (random_.chance(10)) out_ += " xmlns:unused=\"http://example.org/unused\"";
        out_ += '>';
        children(is_atom);
        out_.append("</").append(name).append(">");
    }

    void items(const std::string& name, bool is_atom = false) {
        for (std::size_t n = random_.chance(4) ? random_.between(20, 40) : random_.between(1, 5); n > 0; --n) {
            item(name, is_atom);
            if (random_.chance(10)) out_ += "\n<!-- between items -->";
            if (random_.chance(5)) leaf("note", value());
        }
    }

    void head(const std::string& p) {
        if (random_.chance(80)) leaf(p + "title", value());
        if (random_.chance(50)) leaf(p + "link", value());
        if (random_.chance(30)) leaf("\1dc:creator", value());
        if (random_.chance(20)) leaf("price", random_number(random_, style_));
    }

    RandomDocument rss() {
        open("rss", " version=\"2.0\"");
        for (std::size_t n = random_.chance(30) ? random_.between(2, 4) : 1; n > 0; --n) {
            out_ += "<channel>";
            head("");
            if (n == 1 || random_.chance(80)) items("item");
            out_ += "</channel>";
        }
        out_ += "</rss>";
        return finish("/rss/channel/item");
    }

    RandomDocument rdf() {
        plain_ = "\1rss:";
        open("\1rdf:RDF", "");
        out_ += "<\1rss:channel>";
        head(plain_);
        out_ += "</\1rss:channel>";
        items("\1rss:item");
        out_ += "</\1rdf:RDF>";
        return finish("/rdf:RDF/item");
    }

    RandomDocument atom() {
        open("\1atom:feed", "");
        head("\1atom:");
        items("\1atom:entry", true);
        out_ += "</\1atom:feed>";
        return finish("/feed/entry");
    }

    RandomDocument generic() {
        open("shop", " name=\"S\"");
        if (random_.chance(50)) out_ += "<!-- a shop --><?x y?>";
        for (std::size_t n = random_.between(1, 5); n > 0; --n) item(random_.chance(70) ? "product" : "offer", false);
        out_ += "</shop>";
        return finish("/shop/*");
    }

    // The start tag of the root, with every namespace declared; the prefixes are chosen here.
    void open(std::string_view name, std::string_view attributes) {
        if (random_.chance(50)) out_ += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        if (random_.chance(10)) out_ += "<!-- first -->\n";
        out_.append("<").append(name).append(attributes);
        const std::string_view in_default = name.starts_with("\1atom")  ? "atom"
                                            : name.starts_with("\1rdf") ? "rss"
                                                                        : "";
        for (const Namespace& n : namespaces) {
            std::string prefix = n.customary.empty() ? std::string(n.marker) + ':' : std::string(n.customary);
            if (n.marker == in_default && random_.chance(80)) {
                prefix.clear();
            } else if (n.marker != "own" && random_.chance(40)) {
                prefix = std::string(1, static_cast<char>('p' + (&n - namespaces))) + ":";
            }
            used_.emplace(n.marker, prefix);
            customary_.emplace(n.marker, n.customary);
            // Unprefixed names need no prefix declared; their declarations stay as they are.
            out_ += prefix.empty() ? " xmlns" : " xmlns:";
            if (!prefix.empty()) out_ += n.customary.empty() ? prefix : "\1" + std::string(n.marker) + ':';
            if (!prefix.empty()) out_ += declaration_end;
            out_.append("=\"").append(n.uri).append("\"");
        }
        out_ += '>';
    }

    RandomDocument finish(std::string_view items) {
        return {resolve(out_, used_), resolve(out_, customary_), std::string(items), style_, false};
    }

    Random& random_;
    const DocumentStyle style_;
    std::string out_;
    TextWriter text_;
    std::string plain_;  // the prefix of names that have no namespace in RSS 2.0
    Prefixes used_, customary_;
};

}  // namespace

RandomDocument random_document(Random& random, const DocumentStyle& style) {
    return random.chance(15) ? random_json_document(random, style) : DocumentWriter(random, style).write();
}

}  // namespace sluice
