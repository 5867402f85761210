// What an item of JSON, CSV, FASTA or FASTQ says, however it is written: made while the item is read. Two values of
// JSON have the same normal form if and only if they differ at most in the order of keys, escapes, white space and the
// notation of numbers, apart from ignored keys and parameters, and http in addresses, which is https. A row or a
// sequence is an object of strings. Belongs to one reader.
//
// The form is that of bencode, with keys in the order of their bytes, and its types extended:
//
//     string  = length, ':', bytes            object = 'd', (string, value) …, 'e'      array = 'l', value …, 'e'
//     number  = 'i', decimal, 'e'             true = 't', false = 'f', null = 'n'
//     decimal = "0", or the digits without zeros at both ends; behind them, unless they are an integer, '^' and the
//               power of ten by which a fraction of these digits is multiplied: "125^1" is 1.25. With a "-" if negative
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/feed/model/content_digest.hpp"

namespace sluice::feed {

class DataNormalizer {
public:
    // The most memory for so many bytes of text with so many values: the texts of values get up to half longer, and a
    // growing vector briefly has its old and its new storage.
    static constexpr std::size_t memory_max(std::size_t text_bytes, std::size_t values) {
        return 6 * text_bytes + 3 * values * sizeof(Member);
    }

    // What is ignored must outlive this.
    explicit DataNormalizer(const IgnoredParts& ignored) : ignored_(ignored) { clear(); }

    void clear();  // begins another item, an object: its members follow

    // An object in the item.
    void open_object();
    void close_object();
    void open_array() { written_ += 'l'; }
    void close_array() { written_ += 'e'; }
    // Around each value in an object. `name` is that of the element that filters see.
    void open_member(std::string_view key, std::string_view name);
    void close_member();

    void string(std::string_view text);
    void scalar(std::string_view json);  // a number, true, false or null, as it is written
    void member(std::string_view name, std::string_view text) {
        open_member(name, name);
        string(text);
        close_member();
    }

    // Ends the item, in which all is closed.
    const std::string& normal_form();
    text::Digest digest() { return content_digest(normal_form()); }

private:
    // Offsets are into written_, which has the values in the order in which they were given.
    struct Member {
        std::size_t begin = 0, key_size = 0, end = 0;  // the key ends where the value begins
        std::size_t value = 0;
        std::size_t objects = 0;      // the first object that begins in or behind it
        std::size_t previous = none;  // member of the same object
        std::string_view key(std::string_view written) const { return written.substr(value - key_size, key_size); }
    };
    struct Object {
        std::size_t begin = 0, end = 0;
        std::size_t last = none;  // of its members
        std::size_t behind = 0;   // the first object behind it
    };
    static constexpr std::size_t none = ~std::size_t{0};

    void append_range(std::size_t begin, std::size_t end, std::size_t objects);
    void append_object(const Object& object);

    const IgnoredParts& ignored_;
    std::string written_;
    std::vector<Object> objects_;  // in the order in which they begin
    std::vector<Member> members_;  // likewise
    std::vector<std::size_t> open_objects_, open_members_;
    std::vector<std::size_t> order_;  // of the members of the objects that are being appended
    std::string form_, room_;
};

// A number of JSON in the form above. Numbers that are equal have the same form, unless their exponents are beyond
// 10^15.
std::string normal_decimal(std::string_view number);

}  // namespace sluice::feed
