#include "tests/support/crash_file_system.hpp"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::testing {

namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// As RocksDB's own file system says it.
IOStatus status_of(DiskError error, const std::string& path) {
    switch (error) {
        case DiskError::none:
            return IOStatus::OK();
        case DiskError::not_found:
            return IOStatus::PathNotFound(path);
        case DiskError::no_space: {
            IOStatus status = IOStatus::NoSpace(path, "No space left on device");
            status.SetRetryable(true);
            return status;
        }
        case DiskError::failed:
            break;
    }
    return IOStatus::IOError(path, "Input/output error");
}

// A file that a process has opened.
struct Opened {
    IOStatus read(std::uint64_t offset, std::size_t bytes, rocksdb::Slice* result, char* to) const {
        std::size_t n = 0;
        const DiskError error = disk->read(by, *file, offset, bytes, to, n);
        *result = rocksdb::Slice(to, n);
        return status_of(error, path);
    }
    IOStatus status(DiskError error) const { return status_of(error, path); }

    CrashDisk* disk;
    CrashDisk::Process by;
    std::string path;
    CrashDisk::FilePtr file;
};

class SequentialFile final : public rocksdb::FSSequentialFile {
public:
    explicit SequentialFile(Opened opened) : opened_(std::move(opened)) {}
    IOStatus Read(size_t n, const IOOptions&, rocksdb::Slice* result, char* to, IODebugContext*) override {
        const IOStatus status = opened_.read(offset_, n, result, to);
        offset_ += result->size();
        return status;
    }
    IOStatus Skip(uint64_t n) override {
        offset_ += n;
        return IOStatus::OK();
    }

private:
    const Opened opened_;
    std::uint64_t offset_ = 0;
};

class RandomAccessFile final : public rocksdb::FSRandomAccessFile {
public:
    explicit RandomAccessFile(Opened opened) : opened_(std::move(opened)) {}
    IOStatus Read(uint64_t offset, size_t n, const IOOptions&, rocksdb::Slice* result, char* to,
                  IODebugContext*) const override {
        return opened_.read(offset, n, result, to);
    }

private:
    const Opened opened_;
};

class WritableFile final : public rocksdb::FSWritableFile {
public:
    WritableFile(Opened opened, const FileOptions& options)
        : rocksdb::FSWritableFile(options), opened_(std::move(opened)) {}
    using rocksdb::FSWritableFile::Append;
    IOStatus Append(const rocksdb::Slice& bytes, const IOOptions&, IODebugContext*) override {
        return opened_.status(opened_.disk->append(opened_.by, *opened_.file, view(bytes)));
    }
    using rocksdb::FSWritableFile::PositionedAppend;
    IOStatus PositionedAppend(const rocksdb::Slice& bytes, uint64_t offset, const IOOptions&,
                              IODebugContext*) override {
        return opened_.status(opened_.disk->write(opened_.by, *opened_.file, offset, view(bytes)));
    }
    IOStatus Truncate(uint64_t bytes, const IOOptions&, IODebugContext*) override {
        return opened_.status(opened_.disk->truncate(opened_.by, *opened_.file, bytes));
    }
    IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
    IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
    IOStatus Sync(const IOOptions&, IODebugContext*) override {
        return opened_.status(opened_.disk->sync(opened_.by, *opened_.file));
    }
    // Only smooths: nothing is certain after it.
    IOStatus RangeSync(uint64_t, uint64_t, const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
    bool IsSyncThreadSafe() const override { return true; }
    uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return opened_.disk->size(*opened_.file); }

private:
    const Opened opened_;
};

class Directory final : public rocksdb::FSDirectory {
public:
    Directory(CrashDisk& disk, CrashDisk::Process by, std::string path)
        : disk_(disk), by_(by), path_(std::move(path)) {}
    IOStatus Fsync(const IOOptions&, IODebugContext*) override {
        return status_of(disk_.sync_directory(by_, path_), path_);
    }
    IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }

private:
    CrashDisk& disk_;
    const CrashDisk::Process by_;
    const std::string path_;
};

struct FileLock final : rocksdb::FileLock {
    explicit FileLock(std::string locked) : path(std::move(locked)) {}
    const std::string path;
};

struct NoLogger final : rocksdb::Logger {
    using rocksdb::Logger::Logv;
    void Logv(const char*, va_list) override {}
    size_t GetLogFileSize() const override { return 0; }
};

std::string without_slash(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

class CrashFileSystem final : public rocksdb::FileSystemWrapper {
public:
    explicit CrashFileSystem(CrashDisk& disk)
        : FileSystemWrapper(rocksdb::FileSystem::Default()), disk_(disk), by_(disk.process()) {}
    const char* Name() const override { return "CrashFileSystem"; }

    IOStatus NewSequentialFile(const std::string& path, const FileOptions&,
                               std::unique_ptr<rocksdb::FSSequentialFile>* result, IODebugContext*) override {
        return open(path, result, [](Opened opened) { return std::make_unique<SequentialFile>(std::move(opened)); });
    }
    IOStatus NewRandomAccessFile(const std::string& path, const FileOptions&,
                                 std::unique_ptr<rocksdb::FSRandomAccessFile>* result, IODebugContext*) override {
        return open(path, result, [](Opened opened) { return std::make_unique<RandomAccessFile>(std::move(opened)); });
    }
    IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                             std::unique_ptr<rocksdb::FSWritableFile>* result, IODebugContext*) override {
        return create(path, options, true, result);
    }
    IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                                std::unique_ptr<rocksdb::FSWritableFile>* result, IODebugContext*) override {
        return create(path, options, false, result);
    }
    IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path, const FileOptions& options,
                               std::unique_ptr<rocksdb::FSWritableFile>* result, IODebugContext* debug) override {
        const IOStatus status = RenameFile(old_path, path, {}, debug);
        return status.ok() ? create(path, options, false, result) : status;
    }
    IOStatus NewRandomRWFile(const std::string&, const FileOptions&, std::unique_ptr<rocksdb::FSRandomRWFile>*,
                             IODebugContext*) override {
        return IOStatus::NotSupported();
    }
    IOStatus NewMemoryMappedFileBuffer(const std::string&, std::unique_ptr<rocksdb::MemoryMappedFileBuffer>*) override {
        return IOStatus::NotSupported();
    }
    IOStatus NewDirectory(const std::string& path, const IOOptions&, std::unique_ptr<rocksdb::FSDirectory>* result,
                          IODebugContext*) override {
        if (!disk_.is_directory(without_slash(path))) return status_of(DiskError::not_found, path);
        *result = std::make_unique<Directory>(disk_, by_, without_slash(path));
        return IOStatus::OK();
    }

    IOStatus FileExists(const std::string& path, const IOOptions&, IODebugContext*) override {
        if (disk_.is_directory(without_slash(path))) return IOStatus::OK();
        DiskError error = DiskError::none;
        disk_.find(by_, path, error);
        return error == DiskError::not_found ? IOStatus::NotFound(path) : status_of(error, path);
    }
    IOStatus GetChildren(const std::string& path, const IOOptions&, std::vector<std::string>* names,
                         IODebugContext*) override {
        names->clear();
        const DiskError error = disk_.list(by_, without_slash(path), *names);
        return error == DiskError::not_found ? IOStatus::NotFound(path) : status_of(error, path);
    }
    IOStatus GetChildrenFileAttributes(const std::string& path, const IOOptions& options,
                                       std::vector<rocksdb::FileAttributes>* result, IODebugContext* debug) override {
        return FileSystem::GetChildrenFileAttributes(path, options, result, debug);
    }
    IOStatus DeleteFile(const std::string& path, const IOOptions&, IODebugContext*) override {
        return status_of(disk_.remove(by_, path), path);
    }
    IOStatus Truncate(const std::string& path, size_t bytes, const IOOptions&, IODebugContext*) override {
        DiskError error = DiskError::none;
        const CrashDisk::FilePtr file = disk_.find(by_, path, error);
        return status_of(file ? disk_.truncate(by_, *file, bytes) : error, path);
    }
    IOStatus CreateDir(const std::string& path, const IOOptions&, IODebugContext*) override {
        return status_of(disk_.make_directory(by_, without_slash(path)), path);
    }
    IOStatus CreateDirIfMissing(const std::string& path, const IOOptions& options, IODebugContext* debug) override {
        return disk_.is_directory(without_slash(path)) ? IOStatus::OK() : CreateDir(path, options, debug);
    }
    IOStatus DeleteDir(const std::string& path, const IOOptions&, IODebugContext*) override {
        return status_of(disk_.remove(by_, without_slash(path)), path);
    }
    IOStatus GetFileSize(const std::string& path, const IOOptions&, uint64_t* bytes, IODebugContext*) override {
        DiskError error = DiskError::none;
        const CrashDisk::FilePtr file = disk_.find(by_, path, error);
        if (file) *bytes = disk_.size(*file);
        return status_of(error, path);
    }
    IOStatus GetFileModificationTime(const std::string&, const IOOptions&, uint64_t* time, IODebugContext*) override {
        *time = 0;
        return IOStatus::OK();
    }
    IOStatus GetAbsolutePath(const std::string& path, const IOOptions&, std::string* result, IODebugContext*) override {
        *result = path;
        return IOStatus::OK();
    }
    IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions&, IODebugContext*) override {
        return status_of(disk_.rename(by_, without_slash(from), without_slash(to)), from);
    }
    IOStatus LinkFile(const std::string& from, const std::string& to, const IOOptions&, IODebugContext*) override {
        return status_of(disk_.link(by_, from, to), from);
    }
    IOStatus NumFileLinks(const std::string&, const IOOptions&, uint64_t*, IODebugContext*) override {
        return IOStatus::NotSupported();
    }
    IOStatus AreFilesSame(const std::string&, const std::string&, const IOOptions&, bool*, IODebugContext*) override {
        return IOStatus::NotSupported();
    }
    IOStatus LockFile(const std::string& path, const IOOptions&, rocksdb::FileLock** lock, IODebugContext*) override {
        DiskError error = DiskError::none;
        if (!disk_.create(by_, path, false, error)) return status_of(error, path);
        if (!disk_.lock(by_, path)) return IOStatus::IOError("lock " + path, "already held");
        *lock = new FileLock(path);
        return IOStatus::OK();
    }
    IOStatus UnlockFile(rocksdb::FileLock* lock, const IOOptions&, IODebugContext*) override {
        const std::unique_ptr<FileLock> owned(static_cast<FileLock*>(lock));
        disk_.unlock(by_, owned->path);
        return IOStatus::OK();
    }
    IOStatus NewLogger(const std::string&, const IOOptions&, std::shared_ptr<rocksdb::Logger>* result,
                       IODebugContext*) override {
        *result = std::make_shared<NoLogger>();
        return IOStatus::OK();
    }
    IOStatus GetFreeSpace(const std::string&, const IOOptions&, uint64_t* bytes, IODebugContext*) override {
        *bytes = disk_.free_bytes();
        return IOStatus::OK();
    }
    IOStatus IsDirectory(const std::string& path, const IOOptions&, bool* is, IODebugContext*) override {
        *is = disk_.is_directory(without_slash(path));
        return IOStatus::OK();
    }

private:
    template <class Result, class Make>
    IOStatus open(const std::string& path, std::unique_ptr<Result>* result, const Make& make) {
        DiskError error = DiskError::none;
        CrashDisk::FilePtr file = disk_.find(by_, path, error);
        if (file) *result = make(Opened{&disk_, by_, path, std::move(file)});
        return status_of(error, path);
    }
    IOStatus create(const std::string& path, const FileOptions& options, bool anew,
                    std::unique_ptr<rocksdb::FSWritableFile>* result) {
        DiskError error = DiskError::none;
        CrashDisk::FilePtr file = disk_.create(by_, path, anew, error);
        if (file) *result = std::make_unique<WritableFile>(Opened{&disk_, by_, path, std::move(file)}, options);
        return status_of(error, path);
    }

    CrashDisk& disk_;
    const CrashDisk::Process by_;
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> start_process(CrashDisk& disk) { return std::make_shared<CrashFileSystem>(disk); }

}  // namespace sluice::testing
