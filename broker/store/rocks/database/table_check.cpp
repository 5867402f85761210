#include "broker/store/rocks/database/table_check.hpp"

#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>

namespace sluice::store {

std::optional<Fault> check_table(const std::string& path) {
    rocksdb::SstFileReader reader{rocksdb::Options()};
    rocksdb::Status status = reader.Open(path);
    if (status.ok()) status = reader.VerifyChecksum();
    if (status.ok()) return std::nullopt;
    std::string what = status.ToString();
    if (what.find(path) == std::string::npos) what += " in " + path;
    return Fault{status.IsCorruption() ? Fault::Kind::damaged : Fault::Kind::io, std::move(what)};
}

}  // namespace sluice::store
