// Any bytes as an export of a store: reading ends with a reason, or what was read is written as it was. An even first
// byte: the others are the file. An odd one: they are records (type, length of two bytes, body), which get the
// checksums and the end that an input would never fit by chance.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "broker/store/offline/export_check.hpp"
#include "broker/store/offline/export_format.hpp"

namespace {

using namespace sluice::store;

void require(bool holds, const char* what) {
    if (holds) return;
    std::cerr << "does not hold: " << what << '\n';
    std::abort();
}

std::string file_of(std::string_view bytes) {
    std::ostringstream out;
    ExportWriter writer(out);
    while (bytes.size() >= 3) {
        const auto type = static_cast<ExportType>(static_cast<unsigned char>(bytes[0]) % export_types);
        const std::size_t length =
            static_cast<unsigned char>(bytes[1]) | static_cast<std::size_t>(static_cast<unsigned char>(bytes[2])) << 8;
        writer.write(type, bytes.substr(3, length));
        bytes.remove_prefix(std::min(bytes.size(), 3 + length));
    }
    writer.end();
    return out.str();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::string file = data[0] % 2 == 0 ? std::string(bytes) : file_of(bytes);
    std::istringstream in(file);
    std::ostringstream out;
    ExportWriter writer(out);
    ExportCheck check;
    try {
        ExportReader reader(in);
        while (const auto record = reader.next()) {
            require(record->body.size() < file.size(), "a record is shorter than the file");
            if (const std::string why = check.add(record->type, record->body); !why.empty()) reader.refuse(why);
            if (record->type == ExportType::value)
                require(name_in_export(record->body).size() + value_in_export(record->body).size() + 2 ==
                            record->body.size(),
                        "a value is a name and the rest");
            writer.write(record->type, record->body);
        }
    } catch (const ExportError& error) {
        require(std::string_view(error.what()).starts_with("offset "), "the reason names the place");
        return 0;
    }
    if (!check.end().empty()) return 0;
    require(check.log().epoch.size() <= 32, "the epoch is one");
    writer.end();
    require(out.str() == file, "what was read is written as it was");
    return 0;
}
