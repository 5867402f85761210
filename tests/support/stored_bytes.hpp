// Looks for bytes in a RocksDB database that nobody has open.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::testing {

// Where in the database's folder the bytes are: files that have them as they are, and keys with a value, of any version
// that has not been compacted away, that has them. The folder of the database may get another file with messages.
std::vector<std::string> find_stored_bytes(const std::string& path, std::string_view bytes);

}  // namespace sluice::testing
