#include "protocol/filter/evaluator/document_index.hpp"

#include <algorithm>

namespace sluice::xpath {

namespace {

constexpr std::string_view xml_uri = "http://www.w3.org/XML/1998/namespace";
constexpr std::size_t bytes_per_look = 256u << 10;  // copied between calls of the hook

}  // namespace

std::size_t DocumentIndex::bytes() const {
    const std::size_t columns = labels_.capacity() * (5 * sizeof(std::uint32_t) + sizeof(const char*));
    const std::size_t lists = pieces_.capacity() * sizeof(Piece) + declarations_.capacity() * sizeof(Declaration) +
                              own_namespaces_.capacity() * sizeof(OwnNamespace);
    const std::size_t joined = joined_.text.capacity() + joined_.offsets.capacity() * sizeof(std::uint32_t);
    return columns + lists + joined + names_.bytes();
}

void DocumentIndex::clear() {
    size_ = 0;
    pieces_.clear();
    names_.clear();
    declarations_.clear();
    own_namespaces_.clear();
    is_joined_ = false;
    bytes_read_ = 0;
}

std::string_view DocumentIndex::joined_text(Node node, Meter* meter) const {
    if (!is_joined_) join(meter);
    const std::uint32_t begin = joined_.offsets[node], end = joined_.offsets[ends_[node]];
    return std::string_view(joined_.text).substr(begin, end - begin);
}

template <class Take>
void DocumentIndex::each_piece(const Take& take) const {
    auto piece = pieces_.begin();
    for (Node node = 0; node < size_; ++node) {
        if (kind(node) != NodeKind::text) {
            take(node, std::string_view());
        } else if (details_[node] != in_pieces) {
            take(node, string_value(node));
        } else {
            for (; piece != pieces_.end() && piece->node == node; ++piece) take(node, piece->text);
        }
    }
}

// Computes the offsets first, then copies the texts: growing a string would copy them repeatedly.
void DocumentIndex::join(Meter* meter) const {
    std::size_t since_look = 0, all = 0;
    const auto work = [&](std::size_t bytes) {
        since_look += bytes;
        if (!meter || since_look < bytes_per_look) return;
        since_look = 0;
        meter->look();
    };
    joined_.offsets.resize(size_ + 1);
    Node next = 0;
    each_piece([&](Node node, std::string_view text) {
        if (node == next) joined_.offsets[next++] = static_cast<std::uint32_t>(all);
        all += text.size();
        work(sizeof(Node));
    });
    joined_.offsets[size_] = static_cast<std::uint32_t>(all);
    joined_.text.clear();
    joined_.text.reserve(all);
    each_piece([&](Node, std::string_view text) {
        for (; !text.empty(); text.remove_prefix(std::min(text.size(), bytes_per_look))) {
            const std::string_view part = text.substr(0, bytes_per_look);
            joined_.text.append(part);
            work(part.size());
        }
    });
    bytes_read_ += all;
    is_joined_ = true;
}

std::string_view DocumentIndex::namespace_uri(Node node) const {
    const bool is_attribute = kind(node) == NodeKind::attribute;
    if (kind(node) != NodeKind::element && !is_attribute) return {};
    const auto own = std::lower_bound(own_namespaces_.begin(), own_namespaces_.end(), node,
                                      [](const OwnNamespace& a, Node b) { return a.node < b; });
    if (own != own_namespaces_.end() && own->node == node) return own->uri;
    const std::string_view name = name_text(this->name(node));
    const std::size_t colon = name.find(':');
    const std::string_view prefix = name.substr(0, colon == name.npos ? 0 : colon);
    if (prefix.empty() && is_attribute) return {};
    if (prefix == "xml") return xml_uri;
    const auto before = [](const Declaration& d, Node element) { return d.element < element; };
    for (Node at = is_attribute ? parent(node) : node; at != document_node; at = parent(at)) {
        auto found = std::lower_bound(declarations_.begin(), declarations_.end(), at, before);
        for (; found != declarations_.end() && found->element == at; ++found)
            if (found->prefix == prefix) return found->uri;
    }
    return {};
}

}  // namespace sluice::xpath
