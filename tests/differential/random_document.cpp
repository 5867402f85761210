#include "tests/differential/random_document.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>
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

// In this file, names have the prefixes of this table. The document has others.
struct Namespace {
    std::string_view name, uri;
    std::string_view customary;  // in the tree, outside the vocabulary's own feeds; empty: whatever the document has
};

constexpr Namespace namespaces[] = {
    {"atom", "http://www.w3.org/2005/Atom", "atom"},
    {"rss", "http://purl.org/rss/1.0/", "rss"},
    {"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf"},
    {"dc", "http://purl.org/dc/elements/1.1/", "dc"},
    {"media", "http://search.yahoo.com/mrss/", "media"},
    {"old", "http://search.yahoo.com/mrss", "media"},
    {"own", "http://example.org/own", ""},
    {"alien", "http://example.org/alien", ""},
};
constexpr std::string_view atom_03 = "http://purl.org/atom/ns#", rss_20 = "http://backend.userland.com/rss2";

// Of declarations inside items, with their customary prefixes.
constexpr std::pair<std::string_view, std::string_view> inner_uris[] = {
    {"http://www.w3.org/2005/Atom", "atom"},
    {atom_03, "atom"},
    {"http://purl.org/rss/1.0/", "rss"},
    {"http://purl.org/dc/elements/1.0/", "dc"},
    {"http://purl.org/dc/elements/1.1/", "dc"},
    {"HTTPS://search.yahoo.com/mrss", "media"},
    {"http://www.w3.org/1999/xhtml", "xhtml"},
    {"http://example.org/inner", ""},
    {"http://example.org/own", ""},
};

// A name in the document and in the tree, where the prefix stands for the URI.
struct Name {
    std::string written, in_tree, uri;

    std::string tree_prefix() const {
        const std::size_t colon = in_tree.find(':');
        return colon == in_tree.npos ? "" : in_tree.substr(0, colon);
    }
};

std::string with_prefix(const std::string& prefix, std::string_view local) {
    return (prefix.empty() ? "" : prefix + ':') + std::string(local);
}

// Two texts in one: "\1published\2expected\3".
std::string one_of(std::string_view text, bool is_published) {
    std::string out;
    bool is_wanted = true;
    for (const char c : text) {
        if (c == '\1')
            is_wanted = is_published;
        else if (c == '\2')
            is_wanted = !is_published;
        else if (c == '\3')
            is_wanted = true;
        else if (is_wanted)
            out += c;
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

    void both(std::string_view published, std::string_view expected) {
        if (published == expected)
            out_ += published;
        else
            out_.append("\1").append(published).append("\2").append(expected).append("\3");
    }
    static std::string declaration(const std::string& prefix, std::string_view uri) {
        return " xmlns" + (prefix.empty() ? "" : ":" + prefix) + "=\"" + std::string(uri) + '"';
    }

    // Of a name as it is written in this file. Without a prefix it is in the document's default namespace.
    Name name_of(std::string_view name, bool is_attribute = false) const {
        const std::size_t colon = name.find(':');
        if (colon == name.npos) {
            if (is_attribute) return {std::string(name), std::string(name), ""};
            return {std::string(name), with_prefix(in_feed_ ? "" : std::string(default_prefix_), name),
                    std::string(default_uri_)};
        }
        const std::string_view prefix = name.substr(0, colon), local = name.substr(colon + 1);
        const bool is_plain = prefix == plain_vocabulary_ && in_feed_ && !is_attribute;
        return {with_prefix(written_.at(prefix), local), with_prefix(is_plain ? "" : in_tree_.at(prefix), local),
                std::string(uris_.at(prefix))};
    }

    // A start tag without its end. The expected text declares what its names need, whatever the published one does.
    void begin(const Name& name) {
        out_ += '<';
        both(name.written, name.in_tree);
        scope_sizes_.push_back(scope_.size());
        const std::string prefix = name.tree_prefix();
        const auto outer =
            std::find_if(scope_.rbegin(), scope_.rend(), [&](const auto& d) { return d.first == prefix; });
        if (outer != scope_.rend() && outer->second == name.uri) return;
        scope_.emplace_back(prefix, name.uri);
        both("", declaration(prefix, name.uri));
    }
    void begin(std::string_view name) { begin(name_of(name)); }
    void end_empty() {
        out_ += "/>";
        scope_.resize(scope_sizes_.back());
        scope_sizes_.pop_back();
    }
    void end(const Name& name) {
        out_ += "</";
        both(name.written, name.in_tree);
        out_ += '>';
        scope_.resize(scope_sizes_.back());
        scope_sizes_.pop_back();
    }
    void end(std::string_view name) { end(name_of(name)); }

    void attribute(const Name& name, std::string_view value) {
        out_ += ' ';
        both(name.written, name.in_tree);
        out_ += '=';
        text_.attribute_value(value);
    }
    void attribute(std::string_view name, std::string_view value) { attribute(name_of(name, true), value); }

    // An element with text and, sometimes, attributes and elements among the text.
    void leaf(std::string_view name, std::string_view value) {
        begin(name);
        if (random_.chance(15)) attribute("type", random_.chance(50) ? "text" : value);
        if (random_.chance(6)) attribute("lang", "en");
        if (value.empty() && random_.chance(70)) return end_empty();
        out_ += '>';
        const std::size_t split = random_.chance(10) ? random_.below(value.size() + 1) : value.size();
        const bool at_boundary = split == value.size() || (static_cast<unsigned char>(value[split]) & 0xC0) != 0x80;
        text_.text(at_boundary ? value.substr(0, split) : value);
        if (split != value.size() && at_boundary) {
            begin("b");
            out_ += '>';
            text_.text(value.substr(split));
            end("b");
            if (random_.chance(30)) out_ += random_.chance(50) ? " " : "\n  ";
            if (random_.chance(30)) {
                begin("i");
                out_ += ">z";
                end("i");
            }
            if (random_.chance(40)) text_.text(this->value());
        }
        if (random_.chance(4)) out_ += random_.chance(50) ? "<!-- a 12 -->" : "<?go 12?>";
        end(name);
        if (random_.chance(10)) out_ += random_.chance(50) ? "\n  " : "\r\n";
    }

    void leaves(std::string_view name, std::size_t count) {
        for (; count > 0; --count) leaf(name, value());
    }

    void nested(const std::string& p) {
        begin(p + "author");
        out_ += '>';
        if (random_.chance(80)) leaf(p + "name", value());
        if (random_.chance(40)) leaf(p + "email", value());
        end(p + "author");
    }

    void empty(std::string_view name, std::initializer_list<std::string_view> attributes) {
        begin(name);
        for (const std::string_view a : attributes) {
            if (random_.chance(70)) attribute(a, value());
        }
        end_empty();
    }

    // The children of an item, in random order; most are missing or repeated at times.
    void children() {
        const std::string& p = plain_;
        for (std::size_t n = random_.between(2, 9); n > 0; --n) {
            switch (random_.below(18)) {
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
                    nested(random_.chance(30) ? "atom:" : "");
                    break;
                case 6:
                    empty("enclosure", {"url", "length", "type"});
                    break;
                case 7:
                    leaf(random_.chance(70) ? "dc:creator" : "alien:creator", value());
                    break;
                case 8:
                    leaves("dc:subject", few());
                    break;
                case 9:
                    media();
                    break;
                case 10:
                    leaf("own:score", random_number(random_, style_));
                    break;
                case 11:
                    leaf(p + "description", value());
                    break;
                case 12:
                    empty(p + "category", {"term", "scheme", "alien:term"});
                    break;
                case 13:
                    leaf(random_.chance(70) ? "atom:link" : "atom:title", value());
                    break;
                case 14:
                    leaf(random_.chance(50) ? "rss:title" : "old:title", value());
                    break;
                case 15:
                    redeclared();
                    break;
                default:
                    text_.text(value());
                    break;
            }
        }
    }

    void media() {
        begin("media:group");
        out_ += '>';
        for (std::size_t n = random_.between(1, 3); n > 0; --n) {
            if (random_.chance(80))
                empty("media:content", {"url", "width", "media:x"});
            else
                empty("old:content", {"url", "old:x"});
        }
        end("media:group");
    }

    // An element that declares a prefix that may mean something else around it.
    void redeclared() {
        static constexpr std::string_view prefixes[] = {"own", "dc", "media", "atom", "x", ""};
        const std::string prefix(random_.pick(prefixes));
        const auto& inner = random_.pick(inner_uris);
        const std::string_view uri = inner.first, customary = inner.second;
        const bool is_plain = in_feed_ && customary == plain_vocabulary_ && !customary.empty();
        std::string in_tree = prefix;
        if (!customary.empty())
            in_tree = customary;
        else if (prefix == "dc" || prefix == "media" || prefix == "atom")
            in_tree += written_.at("own") == prefix + '_' ? "_2" : "_";
        const auto name = [&](std::string_view local, bool is_attribute) {
            return Name{with_prefix(prefix, local), with_prefix(is_plain && !is_attribute ? "" : in_tree, local),
                        std::string(uri)};
        };
        const Name box = name("box", false), part = name("part", false);
        begin(box);
        both(declaration(prefix, uri), "");
        if (!prefix.empty() && random_.chance(50)) {
            // The attribute's prefix may be no element's.
            if (is_plain) both("", declaration(in_tree, uri));
            attribute(name("kind", true), value());
        }
        out_ += '>';
        for (std::size_t n = random_.between(0, 2); n > 0; --n) {
            begin(part);
            out_ += '>';
            text_.text(value());
            end(part);
        }
        end(box);
    }

    void item(const std::string& name) {
        begin(name);
        if (random_.chance(30)) attribute("id", value());
        if (random_.chance(20)) attribute("rdf:about", value());
        if (random_.chance(10)) out_ += " xmlns:unused=\"http://example.org/unused\"";
        out_ += '>';
        children();
        end(name);
    }

    void items(const std::string& name) {
        for (std::size_t n = random_.chance(4) ? random_.between(20, 40) : random_.between(1, 5); n > 0; --n) {
            item(name);
            if (random_.chance(10)) out_ += "\n<!-- between items -->";
            if (random_.chance(5)) leaf("note", value());
        }
    }

    void head() {
        if (random_.chance(80)) leaf(plain_ + "title", value());
        if (random_.chance(50)) leaf(plain_ + "link", value());
        if (random_.chance(30)) leaf("dc:creator", value());
        if (random_.chance(20)) leaf("price", random_number(random_, style_));
    }

    // At times, a feed is found inside another document.
    void begin_feed(std::string_view root, std::string_view vocabulary, std::string_view usual_default) {
        choose_prefixes(vocabulary, usual_default);
        is_wrapped_ = random_.chance(12);
        if (is_wrapped_) {
            begin_root("wrap");
            out_ += '>';
            if (random_.chance(30)) leaf("atom:title", value());
            if (random_.chance(30)) leaf("rss:title", value());
            in_feed_ = true;
            begin(root);
        } else {
            in_feed_ = true;
            begin_root(root);
        }
    }
    RandomDocument end_feed(std::string_view root, std::string_view items) {
        end(root);
        in_feed_ = false;
        if (is_wrapped_) end("wrap");
        return finish((is_wrapped_ ? "/*" : "") + std::string(items));
    }

    RandomDocument rss() {
        begin_feed("rss", "rss", random_.chance(10) ? rss_20 : "");
        attribute("version", "2.0");
        out_ += '>';
        for (std::size_t n = random_.chance(30) ? random_.between(2, 4) : 1; n > 0; --n) {
            begin("channel");
            out_ += '>';
            head();
            if (n == 1 || random_.chance(80)) items("item");
            end("channel");
        }
        return end_feed("rss", "/rss/channel/item");
    }

    RandomDocument rdf() {
        plain_ = "rss:";
        begin_feed("rdf:RDF", "rss", random_.chance(80) ? "rss" : "");
        out_ += '>';
        begin("rss:channel");
        out_ += '>';
        head();
        end("rss:channel");
        items("rss:item");
        return end_feed("rdf:RDF", "/rdf:RDF/item");
    }

    RandomDocument atom() {
        plain_ = "atom:";
        begin_feed("atom:feed", "atom", random_.chance(80) ? "atom" : "");
        out_ += '>';
        head();
        items("atom:entry");
        return end_feed("atom:feed", "/feed/entry");
    }

    RandomDocument generic() {
        choose_prefixes("", "");
        begin_root("shop");
        attribute("name", "S");
        out_ += '>';
        if (random_.chance(50)) out_ += "<!-- a shop --><?x y?>";
        for (std::size_t n = random_.between(1, 5); n > 0; --n) item(random_.chance(70) ? "product" : "offer");
        end("shop");
        return finish("/shop/*");
    }

    // `usual_default`: the name or URI of the default namespace.
    void choose_prefixes(std::string_view vocabulary, std::string_view usual_default) {
        if (!usual_default.empty()) default_prefix_ = vocabulary;
        static constexpr std::string_view stolen_prefixes[] = {"dc", "media", "atom", "alien", "alien"};
        const std::string stolen(random_.pick(stolen_prefixes));
        const bool own_collides = stolen != "alien" && random_.chance(20);
        plain_vocabulary_ = vocabulary;
        for (const Namespace& n : namespaces) {
            const std::string_view uri = n.name == "atom" && random_.chance(20) ? atom_03 : n.uri;
            uris_.emplace(n.name, uri);
            std::string& written = written_[n.name] = n.name;
            if (n.name == usual_default) {
                written = "";
                default_ = n.name;
                default_uri_ = uri;
            } else if (n.name == "alien") {
                written = stolen;
            } else if (n.name == "own") {
                if (own_collides) written = stolen + '_';
            } else if (random_.chance(40) || written == stolen) {
                written = std::string(1, static_cast<char>('p' + (&n - namespaces)));
            }
            in_tree_[n.name] = n.customary.empty() ? written : n.customary;
        }
        if (stolen != "alien") in_tree_["alien"] = stolen + (own_collides ? "_2" : "_");
        if (default_.empty()) default_uri_ = usual_default;
    }

    // The start tag of the root, with every namespace declared.
    void begin_root(std::string_view name) {
        if (random_.chance(50)) out_ += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        if (random_.chance(10)) out_ += "<!-- first -->\n";
        begin(name);
        if (default_.empty() && !default_uri_.empty()) both(declaration("", default_uri_), "");
        for (const Namespace& n : namespaces) {
            both(declaration(written_.at(n.name), uris_.at(n.name)), "");
            const std::string& prefix = in_tree_.at(n.name);
            const auto is_it = [&](const auto& declared) { return declared.first == prefix; };
            if (std::any_of(scope_.begin(), scope_.end(), is_it)) continue;
            scope_.emplace_back(prefix, uris_.at(n.name));
            both("", declaration(prefix, uris_.at(n.name)));
        }
    }

    RandomDocument finish(const std::string& items) const {
        return {one_of(out_, true), one_of(out_, false), items, style_, false};
    }

    Random& random_;
    const DocumentStyle style_;
    std::string out_;
    TextWriter text_;
    std::string plain_;  // the prefix, in this file, of names that have no namespace in RSS 2.0
    std::map<std::string_view, std::string> written_, in_tree_;
    std::map<std::string_view, std::string_view> uris_;
    std::string_view default_, default_uri_;  // default_: its name in this file, if it has one
    std::string_view default_prefix_;         // of names in the default namespace, in the tree outside the feed
    std::string_view plain_vocabulary_;       // whose names have no prefix in the feed
    bool in_feed_ = false, is_wrapped_ = false;
    std::vector<std::pair<std::string, std::string>> scope_;  // prefixes and URIs that the expected text declares
    std::vector<std::size_t> scope_sizes_;                    // before each open element
};

}  // namespace

RandomDocument random_document(Random& random, const DocumentStyle& style) {
    return random.chance(15) ? random_json_document(random, style) : DocumentWriter(random, style).write();
}

}  // namespace sluice
