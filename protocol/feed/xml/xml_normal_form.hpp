// What the elements of a document say, however they are written: made in the scanner's pass. Two elements have the same
// normal form if and only if their canonical XML (W3C Canonical XML 1.0, without comments) is equal, apart from
// prefixes, white space between elements, ignored parts, and http in addresses, which is https. Belongs to one scanner.
//
// Control characters, which XML text cannot have, mark the parts of the form:
//
//     element    = 1 name, attributes by name, content, 7
//     attribute  = 3 name, 4 value
//     text       = 5 text         a run of text and CDATA sections, also across comments
//     processing instruction = 6 target, 4 data
//     name       = local name, behind "dc:" if the namespace is a known one, behind 2 and the digest of the URI if not
//
// Text that is all white space is left out, unless nothing else is in the element.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/bytes/growing_text.hpp"
#include "protocol/feed/model/content_digest.hpp"
#include "protocol/feed/xml/element_names.hpp"
#include "protocol/feed/xml/xml_tag.hpp"

namespace sluice::feed {

struct XmlNormalForm {
    struct Range {
        std::size_t begin = 0, end = 0;
    };
    // The most bytes of a document with so many bytes, tags and attributes.
    static constexpr std::size_t bytes_max(std::size_t text_bytes, std::size_t names) {
        return text_bytes + 20 * names;
    }

    // What is reserved at first, which most documents do not exceed.
    static constexpr std::size_t reserve(std::size_t text_bytes) { return text_bytes + text_bytes / 16; }

    // Of most documents with one item: room for so many is made at first.
    static constexpr std::size_t usual_elements = 24, usual_depth = 8;

    bytes::GrowingText bytes;     // of the root element
    std::vector<Range> elements;  // in `bytes`, in document order; empty: ignored

    // Of an element, whose source counts if it is ignored as a part of others.
    text::Digest digest(std::size_t element, std::string_view source) const {
        const Range& range = elements[element];
        const std::string_view form = bytes.view().substr(range.begin, range.end - range.begin);
        return content_digest(form.empty() ? source : form);
    }
};

class XmlNormalizer {
public:
    // What is ignored must outlive this; `text_bytes` are those of the document.
    XmlNormalizer(const IgnoredParts& ignored, std::size_t text_bytes);
    XmlNormalizer(const XmlNormalizer&) = delete;
    XmlNormalizer& operator=(const XmlNormalizer&) = delete;

    // The parts of the document, in order. Texts are what they say (XmlAttribute::said).
    void open(const XmlTag& tag, ElementName& name);
    void close();
    // An element without attributes that has only this text.
    void element(ElementName& name, std::string_view said);
    void text(std::string_view said);  // or a CDATA section
    void instruction(std::string_view said);

    // Once the root element is closed.
    XmlNormalForm take();

private:
    static constexpr std::size_t none = ~std::size_t{0};
    struct OpenElement {
        std::size_t number = 0;
        std::size_t text = none;  // where the text that is being read begins
        std::string_view space;   // the first text, if it is white space, as long as nothing follows it
        bool has_more_than_text = false;
    };
    struct Attribute {
        std::size_t begin = 0, value = 0, end = 0;  // in the form; `value` is behind the name
    };

    bool begin_range(ElementName& name);
    void begin_element(ElementName& name);
    bool is_ignoring() const { return ignored_depth_ != 0; }
    void append_name(const KnownNamespace* known, std::string_view uri, std::string_view local);
    void append_attribute(const XmlAttribute& attribute);
    void sort_attributes();
    void begin_text(OpenElement& element);
    void end_text(bool is_at_end);
    void make_normal(std::size_t begin);

    const IgnoredParts& ignored_;
    XmlNormalForm form_;
    bytes::GrowingText& bytes_ = form_.bytes;
    boost::container::small_vector<OpenElement, XmlNormalForm::usual_depth> open_;
    std::size_t ignored_depth_ = 0;  // of open elements, the outermost of which is ignored
    boost::container::small_vector<Attribute, 4> attributes_;
    std::unordered_map<std::string_view, text::Digest> uris_;
    std::string room_;
};

}  // namespace sluice::feed
