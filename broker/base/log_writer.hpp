// Writes the log's lines from a dedicated thread, so no logging thread ever waits for the reader of the log. Lines wait
// in a bounded buffer; lines that do not fit are dropped. As soon as writing succeeds again, a line says how many were
// dropped. Any thread may push; pushing does not allocate.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace sluice::base {

class LogWriter {
public:
    using Notice = std::function<std::string(std::uint64_t lines)>;  // makes the line that reports dropped lines

    // Throws std::system_error if the thread cannot be started. That thread calls `notice`.
    LogWriter(int descriptor, std::size_t bytes_max, Notice notice);
    ~LogWriter();  // waits until all pending lines have been written or have failed
    LogWriter(const LogWriter&) = delete;
    LogWriter& operator=(const LogWriter&) = delete;

    void push(std::string_view line) noexcept;  // `line` includes its newline
    // Waits until everything has been written. Returns false if `patience` ran out.
    bool flush(std::chrono::milliseconds patience);
    std::uint64_t dropped() const;  // lines since the start

private:
    void run();
    std::string_view take(char* piece);
    bool put(std::string_view line);
    void tell_dropped();

    const int descriptor_;
    const Notice notice_;
    mutable std::mutex mutex_;
    std::condition_variable changed_, idle_;
    std::vector<char> ring_;
    std::size_t begin_ = 0, size_ = 0;      // of the pending bytes in the ring
    std::uint64_t dropped_ = 0, told_ = 0;  // lines
    bool writing_ = false;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace sluice::base
