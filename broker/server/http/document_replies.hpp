// The replies to the documents of a request that has many. None of them may wait with a later document: before that
// waits for anything, those that are known are written (has_earlier_replies() in reply_writer.hpp). Belongs to the
// connection's thread.
#pragma once

#include <boost/asio/awaitable.hpp>

namespace sluice::server {

class DocumentReplies {
public:
    virtual ~DocumentReplies() = default;

    // Whether there are replies that are known and not written.
    virtual bool has_unwritten() = 0;
    // Writes them. Returns false if the client has left. Precondition: there are some.
    virtual boost::asio::awaitable<bool> write_unwritten() = 0;
};

}  // namespace sluice::server
