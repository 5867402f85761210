// Turns JSON values into elements: a member is an element named after its key (element_name), an array repeats the
// element for each of its values, null is left out, and a key that repeats, repeats the element. Belongs to one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/feed/data/document_builder.hpp"
#include "protocol/feed/data/json_reader.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

class JsonTree {
public:
    JsonTree(DocumentBuilder& builder, JsonReader& reader)
        : builder_(builder), reader_(reader), normalizer_(builder.normalizer()) {}

    // Reads the value that comes next into an element of `parent`. False: it is not well-formed or nests too deeply,
    // and has been read in part. What the builder has no room for is read and left out.
    bool value(TreeNode parent, const std::string& name) { return value(parent, name, 0); }
    // The same for the members of an object, whose brace comes next. `visit(key)` reads each value, or fails.
    template <class Visit>
    bool members(const Visit& visit);
    bool object(TreeNode element);

    // Reads the object that comes next as an event, whose members `read(element)` reads. If it is bad, it is refused,
    // and the reader is somewhere in it. Returns whether it is good.
    template <class Read>
    bool item(const Read& read);
    // An array of such items, whose bracket comes next. A bad one is refused alone, provided that its end is certain:
    // if brackets outside strings balance, and ',' or ']' follows. Otherwise the document is refused.
    template <class Read>
    void items(const Read& read);

    FeedError::Kind fault_kind() const {
        return is_too_deep_ ? FeedError::Kind::limit : FeedError::Kind::not_well_formed;
    }
    // Refuses the document for what the reader could not read.
    void fail() { builder_.fail(fault_kind(), reader_.fault_offset(), reader_.fault()); }
    // Nothing may follow but white space.
    bool is_at_end();
    void end() {
        if (!builder_.has_failed() && !is_at_end()) fail();
    }

private:
    bool value(TreeNode parent, const std::string& name, std::size_t depth);
    bool object(TreeNode element, std::size_t depth);
    bool inner_object(TreeNode element, std::size_t depth);
    bool array(TreeNode parent, const std::string& name, std::size_t depth);
    bool is_too_deep(std::size_t depth);
    bool fail_as_no_object(char first);
    bool skip_item(std::size_t begin);

    DocumentBuilder& builder_;
    JsonReader& reader_;
    DataNormalizer* const normalizer_;  // null: there is none
    std::string key_, text_;
    bool is_too_deep_ = false;
};

template <class Visit>
bool JsonTree::members(const Visit& visit) {
    if (!reader_.expect('{', "of an object")) return false;
    if (reader_.take('}')) return true;
    do {
        if (!reader_.string(key_) || !reader_.expect(':', "after a key") || !visit(std::as_const(key_))) return false;
    } while (reader_.take(','));
    return reader_.expect('}', "or ',' after a value");
}

template <class Read>
bool JsonTree::item(const Read& read) {
    is_too_deep_ = false;
    const char first = reader_.next();
    const std::size_t begin = reader_.offset();
    const TreeNode element = builder_.begin_item(begin);
    if (!element) return false;
    const bool is_good = (first == '{' || fail_as_no_object(first)) && read(element);
    if (is_good)
        builder_.end_item(begin + text::trim(reader_.text_from(begin)).size());
    else
        builder_.refuse_item(fault_kind(), reader_.fault_offset(), reader_.fault());
    return is_good;
}

template <class Read>
void JsonTree::items(const Read& read) {
    if (!reader_.expect('[', "of an array")) return fail();
    if (reader_.take(']')) return;
    do {
        reader_.next();
        const std::size_t begin = reader_.offset();
        if (!item(read) && !skip_item(begin)) return fail();
    } while (reader_.take(','));
    if (!reader_.expect(']', "or ',' after an item")) fail();
}

}  // namespace sluice::feed
