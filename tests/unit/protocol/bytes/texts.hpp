// Texts for the tests of inner loops: of every length and alignment, before a page that can't be read.
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace sluice::bytes {

// Two pages, of which the second can't be read: a loop that reads beyond the end of a text there ends the test.
class GuardedPage {
public:
    GuardedPage() {
        const int access = PROT_READ | PROT_WRITE;
        begin_ = static_cast<char*>(mmap(nullptr, 2 * page_bytes(), access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (begin_ == MAP_FAILED || mprotect(begin_ + page_bytes(), page_bytes(), PROT_NONE) != 0) std::abort();
    }
    ~GuardedPage() { munmap(begin_, 2 * page_bytes()); }
    GuardedPage(const GuardedPage&) = delete;
    GuardedPage& operator=(const GuardedPage&) = delete;

    // A copy that ends where the page does.
    std::string_view at_end(std::string_view text) const { return copy(text, page_bytes() - text.size()); }
    std::string_view at(std::string_view text, std::size_t offset) const { return copy(text, offset); }

private:
    static std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

    std::string_view copy(std::string_view text, std::size_t offset) const {
        if (!text.empty()) std::memcpy(begin_ + offset, text.data(), text.size());
        return {begin_ + offset, text.size()};
    }

    char* begin_;
};

// REQUIRE for millions of texts: what is written down of one takes longer than the loop that is tested.
template <class Value>
void require_same(const Value& found, const Value& expected, std::string_view text, const char* loop) {
    if (found == expected) return;
    CAPTURE(text, text.size(), loop);
    REQUIRE(found == expected);
}

// Calls check(text) for texts that make(size) returns, of each length up to 200: at the end of a page, and at each
// offset from the beginning of a cache line, with what was there before around it.
template <class Make, class Check>
void for_each_place(const Make& make, const Check& check) {
    const GuardedPage page;
    constexpr std::size_t longest = 200, offsets = 64, each = 8;  // offsets of one text
    for (std::size_t size = 0; size <= longest; ++size) {
        page.at(make(longest + 2 * offsets), 0);
        for (std::size_t offset = 0; offset < offsets; offset += each) {
            const std::string text = make(size);
            for (std::size_t i = 0; i < each; ++i) check(page.at(text, offset + i));
            check(page.at_end(text));
        }
    }
}

// Mostly letters, and every `one_in`-th byte one of `interesting`, or any.
inline std::string random_text(std::size_t size, std::string_view interesting, unsigned one_in, std::mt19937& random) {
    std::string text(size, 'x');
    for (char& c : text) {
        c = static_cast<char>('A' + random() % 58);
        if (random() % one_in == 0) c = interesting[random() % interesting.size()];
        if (random() % (8 * one_in) == 0) c = static_cast<char>(random());
    }
    return text;
}

}  // namespace sluice::bytes
