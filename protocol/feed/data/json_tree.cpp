#include "protocol/feed/data/json_tree.hpp"

#include "protocol/feed/data/element_name.hpp"

namespace sluice::feed {

bool JsonTree::is_too_deep(std::size_t depth) {
    if (depth < builder_.limits().depth_max) return false;
    is_too_deep_ = true;
    reader_.fail("values nest deeper than limits.element_depth (" + std::to_string(builder_.limits().depth_max) + ")");
    return true;
}

bool JsonTree::fail_as_no_object(char first) {
    return reader_.fail(first == '\0' ? "not JSON: the document is empty" : "an event is a JSON object");
}

// Recurses to the limit of the depth.
bool JsonTree::value(TreeNode parent, const std::string& name, std::size_t depth) {
    const char first = reader_.next();
    if (first == '[') return !is_too_deep(depth) && array(parent, name, depth);
    if (first == '{') return !is_too_deep(depth) && inner_object(builder_.add_element(parent, name), depth);
    const bool is_string = first == '"';
    const std::size_t begin = reader_.offset();
    if (!reader_.scalar(text_)) return false;
    if (normalizer_) is_string ? normalizer_->string(text_) : normalizer_->scalar(reader_.text_from(begin));
    if (is_string || text_ != "null") builder_.add_value(parent, name, text_);
    return true;
}

bool JsonTree::object(TreeNode element) { return object(element, 1); }

bool JsonTree::object(TreeNode element, std::size_t depth) {
    const auto read = [&](const std::string& key) {
        const std::string name = element_name(key);
        if (!normalizer_) return value(element, name, depth + 1);
        normalizer_->open_member(key, name);
        if (!value(element, name, depth + 1)) return false;
        normalizer_->close_member();
        return true;
    };
    return members(read);
}

bool JsonTree::inner_object(TreeNode element, std::size_t depth) {
    if (normalizer_) normalizer_->open_object();
    if (!object(element, depth)) return false;
    if (normalizer_) normalizer_->close_object();
    return true;
}

bool JsonTree::array(TreeNode parent, const std::string& name, std::size_t depth) {
    reader_.take('[');
    if (normalizer_) normalizer_->open_array();
    if (!reader_.take(']')) {
        do {
            if (!value(parent, name, depth + 1)) return false;
        } while (reader_.take(','));
        if (!reader_.expect(']', "or ',' after a value")) return false;
    }
    if (normalizer_) normalizer_->close_array();
    return true;
}

// False: the end of the bad item that begins here is uncertain.
bool JsonTree::skip_item(std::size_t begin) {
    if (builder_.has_failed()) return false;
    reader_.go_to(begin);
    reader_.skip_value();
    const char behind = reader_.next();
    return behind == ',' || behind == ']';
}

bool JsonTree::is_at_end() {
    return reader_.next() == '\0' ||
           reader_.fail("not JSON: something follows the value; a value a line is NDJSON (application/x-ndjson)");
}

}  // namespace sluice::feed
