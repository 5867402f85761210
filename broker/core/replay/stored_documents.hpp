// Parses the documents of the log's records, and keeps the last ones with several items, since these are read in
// several steps and by several readers. Their memory is charged. Belongs to one thread.
#pragma once

#include <cstddef>
#include <exception>
#include <list>

#include "broker/base/memory/memory_budget.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/record.hpp"

namespace sluice::broker {

class StoredDocuments {
public:
    // There is no memory for a document now.
    struct NoMemory : std::exception {
        const char* what() const noexcept override { return "there is no memory for a stored document now"; }
    };

    // `limits`: today's, which a record's own may exceed only as feed::parse_record() says.
    StoredDocuments(const feed::FeedLimits& limits, base::MemoryBudget& memory) : limits_(limits), memory_(memory) {}

    // Null: the record can't be parsed, and the log says why.
    feed::DocumentPtr document(const feed::DocumentRecordPtr& record);
    void forget() { kept_.clear(); }

private:
    struct Kept {
        feed::DocumentRecordPtr record;
        feed::DocumentPtr document;
    };

    feed::DocumentPtr parse(const feed::DocumentRecord& record) const;

    const feed::FeedLimits limits_;
    base::MemoryBudget& memory_;
    std::list<Kept> kept_;  // the last one used first
};

}  // namespace sluice::broker
