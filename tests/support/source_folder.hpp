// Where the project's files are, for tests that read some. Found at run time: a path that the compiler is given would
// differ from clone to clone, and nothing that was compiled in one could serve another.
#pragma once

#include <filesystem>

namespace sluice::testing {

// The first folder above the test's program that has config/sluice.yaml; the working directory if none has.
inline std::filesystem::path source_folder() {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    for (auto folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
        if (std::filesystem::exists(folder / "config" / "sluice.yaml", error)) return folder;
    }
    return std::filesystem::current_path();
}

// What is beside the project and not part of it: "feeds", "sequences". Tests skip themselves where it is missing.
inline std::filesystem::path shared_folder(const char* name) { return source_folder().parent_path() / "shared" / name; }

}  // namespace sluice::testing
