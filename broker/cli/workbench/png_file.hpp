// Writes pictures as PNG files. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::cli {

// Grey levels from 0 (black) to 255, row by row from the top. Returns why the file could not be written, or "".
std::string write_png(const std::string& path, std::uint32_t width, std::uint32_t height,
                      const std::vector<std::uint8_t>& pixels);

// Why write_png() would not get to write the file, as far as that shows without touching it, or "".
std::string why_not_writable(const std::string& path);

}  // namespace sluice::cli
