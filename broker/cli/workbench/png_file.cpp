#include "broker/cli/workbench/png_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <png.h>
#include <unistd.h>

namespace sluice::cli {

namespace {

// Returns an error number, or 0.
int write_bytes(const std::string& path, const std::vector<char>& bytes) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return errno;
    const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    const int write_error = is_written ? 0 : errno;
    return std::fclose(file) == 0 ? write_error : errno;
}

}  // namespace

std::string write_png(const std::string& path, std::uint32_t width, std::uint32_t height,
                      const std::vector<std::uint8_t>& pixels) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_GRAY;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::vector<char> bytes(size);
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr) == 0) return image.message;
    bytes.resize(size);
    const int error = write_bytes(path, bytes);
    return error == 0 ? std::string() : std::strerror(error);
}

std::string why_not_writable(const std::string& path) {
    if (access(path.c_str(), F_OK) == 0) return access(path.c_str(), W_OK) == 0 ? std::string() : std::strerror(errno);
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    return access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0 ? std::string() : std::strerror(errno);
}

}  // namespace sluice::cli
