#include "broker/store/rocks/database/read_meter.hpp"

#include <algorithm>
#include <cstdint>
#include <rocksdb/file_system.h>
#include <utility>
#include <vector>

namespace sluice::store {

namespace {

struct Meter {
    explicit Meter(std::atomic<double>& shown) : progress(shown) {}

    void add(std::uint64_t bytes) {
        read += bytes;
        progress = total == 0 ? 1.0 : std::min(1.0, static_cast<double>(read) / static_cast<double>(total));
    }

    std::atomic<double>& progress;
    std::uint64_t total = 0;
    std::atomic<std::uint64_t> read{0};
};

class MeteredFile final : public rocksdb::FSSequentialFileOwnerWrapper {
public:
    MeteredFile(std::unique_ptr<rocksdb::FSSequentialFile>&& file, std::shared_ptr<Meter> meter)
        : FSSequentialFileOwnerWrapper(std::move(file)), meter_(std::move(meter)) {}

    rocksdb::IOStatus Read(std::size_t n, const rocksdb::IOOptions& options, rocksdb::Slice* result, char* scratch,
                           rocksdb::IODebugContext* context) override {
        const rocksdb::IOStatus status = FSSequentialFileOwnerWrapper::Read(n, options, result, scratch, context);
        if (status.ok()) meter_->add(result->size());
        return status;
    }

private:
    const std::shared_ptr<Meter> meter_;
};

class MeteredFiles final : public rocksdb::FileSystemWrapper {
public:
    MeteredFiles(const std::shared_ptr<rocksdb::FileSystem>& files, std::shared_ptr<Meter> meter)
        : FileSystemWrapper(files), meter_(std::move(meter)) {}

    const char* Name() const override { return "MeteredFiles"; }
    rocksdb::IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                        rocksdb::IODebugContext* context) override {
        rocksdb::IOStatus status = FileSystemWrapper::NewSequentialFile(name, options, file, context);
        if (status.ok() && name.ends_with(".log")) *file = std::make_unique<MeteredFile>(std::move(*file), meter_);
        return status;
    }

private:
    const std::shared_ptr<Meter> meter_;
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> metered(const std::shared_ptr<rocksdb::FileSystem>& files,
                                             const std::string& folder, std::atomic<double>& progress) {
    const auto meter = std::make_shared<Meter>(progress);
    std::vector<std::string> names;
    if (files->GetChildren(folder, {}, &names, nullptr).ok()) {
        for (const std::string& name : names) {
            std::uint64_t bytes = 0;
            if (name.ends_with(".log") && files->GetFileSize(folder + '/' + name, {}, &bytes, nullptr).ok())
                meter->total += 2 * bytes;
        }
    }
    return std::make_shared<MeteredFiles>(files, meter);
}

}  // namespace sluice::store
