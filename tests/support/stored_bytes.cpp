#include "tests/support/stored_bytes.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/utilities/debug.h>
#include <stdexcept>

namespace sluice::testing {

namespace {

void check(const rocksdb::Status& status) {
    if (!status.ok()) throw std::runtime_error(status.ToString());
}

// Also of a table that the database does not need any more.
bool has_table(const std::string& path, std::string_view bytes) {
    rocksdb::SstFileReader reader{rocksdb::Options()};
    check(reader.Open(path));
    const std::unique_ptr<rocksdb::Iterator> at(reader.NewIterator({}));
    for (at->SeekToFirst(); at->Valid(); at->Next())
        if (at->value().ToStringView().find(bytes) != std::string_view::npos) return true;
    check(at->status());
    return false;
}

}  // namespace

std::vector<std::string> find_stored_bytes(const std::string& path, std::string_view bytes) {
    std::vector<std::string> places;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string all((std::istreambuf_iterator<char>(file)), {});
        if (all.find(bytes) != std::string::npos) places.push_back(entry.path().filename().string());
        if (entry.path().extension() == ".sst" && has_table(entry.path().string(), bytes))
            places.push_back(entry.path().filename().string() + ", compressed");
    }
    std::vector<std::string> names;
    check(rocksdb::DB::ListColumnFamilies({}, path, &names));
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.emplace_back(name, rocksdb::ColumnFamilyOptions());
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* opened = nullptr;
    check(rocksdb::DB::OpenForReadOnly({}, path, families, &handles, &opened));
    const std::unique_ptr<rocksdb::DB> db(opened);
    for (rocksdb::ColumnFamilyHandle* handle : handles) {
        std::vector<rocksdb::KeyVersion> versions;
        check(rocksdb::GetAllKeyVersions(db.get(), handle, {}, {}, ~std::size_t{0}, &versions));
        for (const rocksdb::KeyVersion& version : versions) {
            if (version.value.find(bytes) != std::string::npos || version.user_key.find(bytes) != std::string::npos)
                places.push_back(handle->GetName() + " " + version.user_key);
        }
        check(db->DestroyColumnFamilyHandle(handle));
    }
    return places;
}

}  // namespace sluice::testing
