// The rule of names in a document's tree (protocol/feed/README.md, "The tree"), written a second time for the oracles,
// which parse documents by themselves. It shares nothing with protocol/feed.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sluice::testing {

class NameRule {
public:
    struct Declaration {
        std::string prefix, uri;
    };

    // A start tag: its name as written, its namespace ("": none) and its declarations.
    void enter(const std::string& prefix, const std::string& local, const std::string& uri,
               const std::vector<Declaration>& declarations);
    void leave();

    // The tree's prefix, without colon, of a name written with this prefix in the element entered last.
    std::string prefix_of(const std::string& written, const std::string& uri, bool is_attribute) const;
    // The namespace of a prefix that is not declared; "": none.
    static std::string undeclared_uri(const std::string& prefix);

private:
    struct Binding {
        std::string prefix, uri, in_tree;
    };

    void declare(const std::vector<Declaration>& declarations);
    bool is_taken(const std::string& in_tree, const std::string& prefix) const;
    std::string plain_in(const std::string& prefix, const std::string& local, const std::string& uri) const;

    std::vector<Binding> bindings_;
    std::vector<std::size_t> sizes_;  // of bindings_, before each open element
    std::string plain_;               // "atom" or "rss" in a feed
    std::size_t feed_depth_ = 0;      // of the element with which it began
};

}  // namespace sluice::testing
