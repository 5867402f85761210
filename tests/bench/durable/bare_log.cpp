// The least that a log can do which is safe before it says so: writers that each wait until their record is synced, and
// one thread that appends what waits to a file, syncs once, and wakes them.
//
//   bench_bare_log FILE WRITERS BYTES SECONDS
//
// Prints one line of JSON: records a second, groups, and how long a sync took (milliseconds).
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

class BareLog {
public:
    explicit BareLog(const char* path) : file_(open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600)) {
        if (file_ < 0) fail(path);
    }
    BareLog(const BareLog&) = delete;
    BareLog& operator=(const BareLog&) = delete;
    ~BareLog() { close(file_); }

    // Returns when the record is safe.
    void append(const std::string& record) {
        std::unique_lock lock(mutex_);
        waiting_ += record;
        const std::uint64_t group = next_group_;
        work_.notify_one();
        done_.wait(lock, [&] { return synced_group_ >= group; });
        ++records_;
    }

    void run() {
        std::string group;
        for (std::unique_lock lock(mutex_);;) {
            work_.wait(lock, [&] { return !waiting_.empty() || has_ended_; });
            if (waiting_.empty()) return;
            group.clear();
            group.swap(waiting_);
            const std::uint64_t number = next_group_++;
            lock.unlock();
            for (std::size_t written = 0; written < group.size();) {
                const ssize_t n = write(file_, group.data() + written, group.size() - written);
                if (n < 0) fail("write");
                written += static_cast<std::size_t>(n);
            }
            const auto begun = Clock::now();
            if (fdatasync(file_) != 0) fail("fdatasync");
            syncs_.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begun).count());
            lock.lock();
            synced_group_ = number;
            done_.notify_all();
        }
    }

    void end() {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
        work_.notify_one();
    }

    std::uint64_t records() const { return records_; }
    std::vector<double>& syncs() { return syncs_; }

private:
    const int file_;
    std::mutex mutex_;
    std::condition_variable work_, done_;
    std::string waiting_;
    std::uint64_t next_group_ = 1, synced_group_ = 0, records_ = 0;
    bool has_ended_ = false;
    std::vector<double> syncs_;  // milliseconds
};

double quantile(const std::vector<double>& sorted, double part) {
    return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fputs("Usage: bench_bare_log FILE WRITERS BYTES SECONDS\n", stderr);
        return 2;
    }
    const int writers = std::atoi(argv[2]);
    const auto bytes = static_cast<std::size_t>(std::atol(argv[3]));
    const std::chrono::duration<double> seconds(std::atof(argv[4]));
    BareLog log(argv[1]);
    std::thread thread([&] { log.run(); });
    std::atomic<bool> is_over = false;
    std::vector<std::thread> threads;
    const auto begun = Clock::now();
    for (int i = 0; i < writers; ++i) {
        threads.emplace_back([&, i] {
            std::mt19937 random(static_cast<unsigned>(i));
            std::string record(bytes, '\0');
            for (char& c : record) c = static_cast<char>(random());
            while (!is_over) log.append(record);
        });
    }
    std::this_thread::sleep_for(seconds);
    is_over = true;
    for (std::thread& each : threads) each.join();
    const double took = std::chrono::duration<double>(Clock::now() - begun).count();
    log.end();
    thread.join();
    std::vector<double>& syncs = log.syncs();
    std::sort(syncs.begin(), syncs.end());
    std::printf(
        "{\"records_per_second\": %.0f, \"groups_per_second\": %.0f, \"records_per_group\": %.1f, "
        "\"sync_ms\": {\"p10\": %.3f, \"p50\": %.3f, \"p90\": %.3f, \"p99\": %.3f, \"max\": %.3f}}\n",
        static_cast<double>(log.records()) / took, static_cast<double>(syncs.size()) / took,
        syncs.empty() ? 0 : static_cast<double>(log.records()) / static_cast<double>(syncs.size()),
        quantile(syncs, 0.1), quantile(syncs, 0.5), quantile(syncs, 0.9), quantile(syncs, 0.99), quantile(syncs, 1));
}
