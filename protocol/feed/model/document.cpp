#include "protocol/feed/model/document.hpp"

#include "protocol/feed/model/source_context.hpp"

namespace sluice::feed {

const SourceContext& Document::source_context() const {
    static const SourceContext none;
    return none;
}

const text::TraceContext& Document::trace() const {
    static const text::TraceContext none;
    return none;
}

const DeadLetterPtr& Document::dead_letter() const {
    static const DeadLetterPtr none;
    return none;
}

const Repairs& Document::repairs() const {
    static const Repairs none;
    return none;
}

}  // namespace sluice::feed
