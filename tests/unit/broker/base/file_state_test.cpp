#include "broker/base/file_state.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

using sluice::base::file_state;

TEST_CASE("a file's state changes with what it is, and with nothing else") {
    const sluice::testing::TemporaryFolder folder;
    const std::string file = folder.path() / "a", other = folder.path() / "b";
    const auto missing = file_state(file);
    CHECK(file_state(other) == missing);
    std::ofstream(file) << "1";
    const auto made = file_state(file);
    CHECK(made != missing);
    CHECK(file_state(file) == made);
    std::ofstream(file, std::ios::app) << "2";
    const auto longer = file_state(file);
    CHECK(longer != made);
    std::ofstream(other) << "34";
    std::filesystem::rename(other, file);
    CHECK(file_state(file) != longer);
    std::filesystem::remove(file);
    CHECK(file_state(file) == missing);
}
