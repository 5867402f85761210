#include "protocol/feed/xml/xml_normal_form.hpp"

#include <algorithm>

#include "protocol/feed/model/make_room.hpp"
#include "protocol/feed/model/normal_text.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

constexpr char mark_element = '\1', mark_uri = '\2', mark_attribute = '\3', mark_value = '\4', mark_text = '\5',
               mark_instruction = '\6', mark_end = '\7';

bool is_white_space(std::string_view text) { return std::all_of(text.begin(), text.end(), text::is_ascii_space); }

}  // namespace

XmlNormalizer::XmlNormalizer(const IgnoredParts& ignored, std::size_t text_bytes) : ignored_(ignored) {
    bytes_.reserve(XmlNormalForm::reserve(text_bytes));
    form_.elements.reserve(XmlNormalForm::usual_elements);
}

void XmlNormalizer::append_name(const KnownNamespace* known, std::string_view uri, std::string_view local) {
    if (known) {
        bytes_.append(known->prefix());
    } else if (!uri.empty()) {
        const auto [found, is_new] = uris_.try_emplace(uri);
        if (is_new) {
            std::string normal;
            append_normal_address(normal, uri, {});
            found->second = text::digest(normal);
        }
        bytes_.append(mark_uri);
        bytes_.append({reinterpret_cast<const char*>(found->second.data()), sizeof found->second});
    }
    bytes_.append(local);
}

// False if the element is ignored.
bool XmlNormalizer::begin_range(ElementName& name) {
    make_room(form_.elements);
    form_.elements.emplace_back();
    if (!name.is_known_to_normalizer)
        name.is_ignored = ignored_.has_element(name.known, name.tree_prefix, name.written.local);
    const bool is_ignored = is_ignoring() || name.is_ignored;
    if (!open_.empty()) {
        open_.back().has_more_than_text = true;
        if (!is_ignored) end_text(false);
    }
    return !is_ignored;
}

void XmlNormalizer::open(const XmlTag& tag, ElementName& name) {
    const bool is_ignored = !begin_range(name);
    open_.emplace_back().number = form_.elements.size() - 1;
    if (is_ignored) {
        ++ignored_depth_;
        return;
    }
    begin_element(name);
    if (tag.attributes.empty()) return;
    attributes_.clear();
    for (const XmlAttribute& attribute : tag.attributes) {
        if (!attribute.is_declaration()) append_attribute(attribute);
    }
    sort_attributes();
}

void XmlNormalizer::element(ElementName& name, std::string_view said) {
    if (!begin_range(name)) return;
    begin_element(name);
    if (!said.empty()) {
        bytes_.append(mark_text);
        const std::size_t begin = bytes_.size();
        bytes_.append(said);
        make_normal(begin);
    }
    bytes_.append(mark_end);
    form_.elements.back().end = bytes_.size();
}

// Names are kept in the form: what is in it stays where it is.
void XmlNormalizer::begin_element(ElementName& name) {
    form_.elements.back().begin = bytes_.size();
    if (name.is_known_to_normalizer) {
        bytes_.repeat(name.normal_begin, name.normal_size);
        return;
    }
    name.is_known_to_normalizer = true;
    name.normal_begin = bytes_.size();
    bytes_.append(mark_element);
    append_name(name.known, name.uri, name.written.local);
    name.normal_size = bytes_.size() - name.normal_begin;
}

void XmlNormalizer::append_attribute(const XmlAttribute& attribute) {
    Attribute& added = attributes_.emplace_back();
    added.begin = bytes_.size();
    bytes_.append(mark_attribute);
    const KnownNamespace* const known = attribute.uri.empty() ? nullptr : find_known_namespace(attribute.uri);
    append_name(known, attribute.uri, attribute.name.local);
    added.value = bytes_.size();
    bytes_.append(mark_value);
    const std::string_view local = attribute.name.local;
    if (attribute.uri.empty() && (local == "href" || local == "src")) {
        room_.clear();
        append_normal_address(room_, attribute.said, ignored_);
        bytes_.append(room_);
    } else {
        const std::size_t begin = bytes_.size();
        bytes_.append(attribute.said);
        make_normal(begin);
    }
    added.end = bytes_.size();
}

void XmlNormalizer::sort_attributes() {
    const auto is_less = [&](const Attribute& a, const Attribute& b) {
        const std::string_view form = bytes_.view();
        return form.substr(a.begin, a.value - a.begin) < form.substr(b.begin, b.value - b.begin);
    };
    if (std::is_sorted(attributes_.begin(), attributes_.end(), is_less)) return;
    const std::size_t begin = attributes_.front().begin;
    std::sort(attributes_.begin(), attributes_.end(), is_less);
    room_.clear();
    for (const Attribute& each : attributes_) room_.append(bytes_.view(), each.begin, each.end - each.begin);
    bytes_.shrink(begin);
    bytes_.append(room_);
}

void XmlNormalizer::close() {
    if (is_ignoring()) {
        --ignored_depth_;
    } else {
        end_text(true);
        bytes_.append(mark_end);
        form_.elements[open_.back().number].end = bytes_.size();
    }
    open_.pop_back();
}

void XmlNormalizer::begin_text(OpenElement& element) {
    element.text = bytes_.size();
    bytes_.append(mark_text);
    bytes_.append(element.space);
    element.space = {};
}

// At the next element or instruction, or at the end of the element.
void XmlNormalizer::end_text(bool is_at_end) {
    OpenElement& element = open_.back();
    const bool is_all = is_at_end && !element.has_more_than_text;
    if (element.text == none) {
        if (is_all && !element.space.empty()) begin_text(element);
        element.space = {};
        return;
    }
    const std::size_t begin = element.text + 1;
    if (!is_all && is_white_space(bytes_.view(begin)))
        bytes_.shrink(element.text);
    else
        make_normal(begin);
    element.text = none;
}

// Replaces the text at the end of the form, from `begin` on.
void XmlNormalizer::make_normal(std::size_t begin) {
    const std::string_view text = bytes_.view(begin);
    if (!may_have_address(text)) return;
    room_.clear();
    append_normal_text(room_, text, ignored_);
    bytes_.shrink(begin);
    bytes_.append(room_);
}

// White space is nearly always between elements, and then left out.
void XmlNormalizer::text(std::string_view said) {
    if (is_ignoring() || said.empty()) return;
    OpenElement& element = open_.back();
    if (element.text == none) {
        if (element.space.empty() && is_white_space(said)) {
            element.space = said;
            return;
        }
        begin_text(element);
    }
    bytes_.append(said);
}

void XmlNormalizer::instruction(std::string_view said) {
    if (is_ignoring() || open_.empty()) return;
    open_.back().has_more_than_text = true;
    end_text(false);
    const std::size_t target = std::min(said.find_first_of(text::ascii_space), said.size());
    const std::size_t data = std::min(said.find_first_not_of(text::ascii_space, target), said.size());
    bytes_.append(mark_instruction);
    bytes_.append(said.substr(0, target));
    bytes_.append(mark_value);
    bytes_.append(said.substr(data));
}

// The tree is made next, and needs the memory.
XmlNormalForm XmlNormalizer::take() {
    if (bytes_.capacity() > bytes_.size() + bytes_.size() / 4) bytes_.shrink_to_fit();
    return std::move(form_);
}

}  // namespace sluice::feed
