// What POST /v1/publish answers: a line for each document, if the client wants it, and a summary of all. Pure; one
// thread at a time.
#pragma once

#include <boost/json/array.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "broker/core/ingest/publish_result.hpp"
#include "broker/server/http/http_types.hpp"
#include "broker/store/event_log.hpp"

namespace sluice::server {

// A document's place in the body.
struct DocumentPlace {
    std::uint64_t number = 0;
    std::uint64_t line = 0;    // that it begins in, from 1
    std::uint64_t offset = 0;  // of its first byte
};

// The reply to a document alone as one line, with its number. The line and the offset of a fault are those in the body.
std::string document_line(const DocumentPlace& place, const HttpReply& reply);

class PublishSummary {
public:
    static constexpr std::size_t faults_max = 20;  // of those that it names

    PublishSummary(std::string stream, std::uint64_t first_number)
        : stream_(std::move(stream)), first_number_(first_number) {}

    // What became of the next document. `result`: none if it is known from the reply alone.
    void add(const DocumentPlace& place, const HttpReply& reply, const std::optional<broker::PublishResult>& result,
             std::size_t items_refused);

    std::uint64_t documents() const { return accepted_ + refused_; }

    // The reply after the whole body: 202, whatever became of the documents.
    HttpReply reply(store::Durability durability) const;
    // The same for a body that was not read to its end, for which `refusal` says why.
    HttpReply reply(store::Durability durability, const HttpReply& refusal) const;

private:
    void add_counts(const broker::PublishResult& result, std::size_t items_refused);
    std::string members(store::Durability durability) const;

    const std::string stream_;
    const std::uint64_t first_number_;
    std::uint64_t accepted_ = 0, refused_ = 0;
    broker::PublishResult counts_{};
    std::size_t items_refused_ = 0;
    boost::json::array faults_;
};

}  // namespace sluice::server
