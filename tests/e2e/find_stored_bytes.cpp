// Prints where a store that no broker has open has some bytes, a line each: find_stored_bytes FOLDER BYTES
#include <exception>
#include <iomanip>
#include <iostream>
#include <string>

#include "tests/support/stored_bytes.hpp"

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    try {
        for (const std::string& place : sluice::testing::find_stored_bytes(argv[1], argv[2]))
            std::cout << std::quoted(place) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
