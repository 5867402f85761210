#include "broker/net/io_threads.hpp"

#include "broker/base/thread_name.hpp"

namespace sluice {

IoThreads::IoThreads(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) loops_.push_back(std::make_unique<Loop>());
}

void IoThreads::start() {
    for (const auto& loop : loops_) {
        loop->thread = std::thread([&io = loop->io] {
            name_thread("sluiced io");
            io.run();
        });
    }
}

void IoThreads::stop() {
    for (const auto& loop : loops_) loop->io.stop();
    for (const auto& loop : loops_) {
        if (loop->thread.joinable()) loop->thread.join();
    }
}

}  // namespace sluice
