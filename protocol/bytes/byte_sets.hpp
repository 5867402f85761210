// The sets of bytes that inner loops look for. has() is the definition; among() answers for all bytes of a vector
// (vector_sse2.hpp …) at once.
#pragma once

namespace sluice::bytes {

// Ends plain text between the tags of XML. NUL ends the document.
struct XmlTextEnd {
    static constexpr bool has(char c) { return c == '<' || c == '&' || c == ']' || c == '\r' || c == '\0'; }
    template <class Vector>
    static auto among(Vector v) {
        return (v.is('<') | v.is('&') | v.is(']')) | (v.is('\r') | v.is('\0'));
    }
};

// Ends plain text in an attribute's value: quotes, and white space that is read as a space.
struct XmlValueEnd {
    static constexpr bool has(char c) {
        return c == '<' || c == '&' || c == '"' || c == '\'' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
    }
    template <class Vector>
    static auto among(Vector v) {
        return (v.is('<') | v.is('&') | v.is('"') | v.is('\'')) | (v.is('\t') | v.is('\r') | v.is('\n') | v.is('\0'));
    }
};

// What a reader resolves in the value of an XML attribute: references, and white space, which is read as spaces.
struct XmlValueResolved {
    static constexpr bool has(char c) { return c == '&' || c == '\t' || c == '\r' || c == '\n'; }
    template <class Vector>
    static auto among(Vector v) {
        return v.is('&') | v.is('\t') | v.is('\r') | v.is('\n');
    }
};

// Behind an address's scheme, and before its query.
struct AddressMark {
    static constexpr bool has(char c) { return c == ':' || c == '?'; }
    template <class Vector>
    static auto among(Vector v) {
        return v.is(':') | v.is('?');
    }
};

// Ends a run of plain characters in a string of JSON.
struct JsonQuote {
    static constexpr bool has(char c) { return c == '"' || c == '\\'; }
    template <class Vector>
    static auto among(Vector v) {
        return v.is('"') | v.is('\\');
    }
};

// The same, and the control characters, which may not be in one.
struct JsonStringEnd {
    static constexpr bool has(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }
    template <class Vector>
    static auto among(Vector v) {
        return v.is('"') | v.is('\\') | v.is_control();
    }
};

// What isn't kept where JSON is made compact, and what begins a string, where all is kept.
struct JsonSpace {
    static constexpr bool has(char c) { return c == '"' || c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
    template <class Vector>
    static auto among(Vector v) {
        return v.is('"') | v.is(' ') | v.is('\t') | v.is('\n') | v.is('\r');
    }
};

// What JSON's strings escape.
struct JsonEscaped {
    static constexpr bool has(char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == '\x7f';
    }
    template <class Vector>
    static auto among(Vector v) {
        return v.is_control() | v.is('"') | v.is('\\') | v.is('\x7f');
    }
};

// The same, and all bytes that are not ASCII.
struct JsonSpecial {
    static constexpr bool has(char c) { return static_cast<unsigned char>(c) >= 0x80 || JsonEscaped::has(c); }
    template <class Vector>
    static auto among(Vector v) {
        return v.is_control_or_not_ascii() | v.is('"') | v.is('\\') | v.is('\x7f');
    }
};

struct NotAscii {
    static constexpr bool has(char c) { return static_cast<unsigned char>(c) >= 0x80; }
    template <class Vector>
    static auto among(Vector v) {
        return v.is_control_or_not_ascii().except(v.is_control());
    }
};

// What is not ASCII, and ASCII that XML forbids.
struct NotXmlAscii {
    static constexpr bool has(char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x80 || (byte < 0x20 && c != '\t' && c != '\n' && c != '\r');
    }
    template <class Vector>
    static auto among(Vector v) {
        return v.is_control_or_not_ascii().except(v.is('\t') | v.is('\n') | v.is('\r'));
    }
};

// Between the values of CSV.
struct CsvSeparator {
    static constexpr bool has(char c) { return c == ',' || c == ';' || c == '\t' || c == '\n' || c == '\r'; }
    template <class Vector>
    static auto among(Vector v) {
        return v.is(',') | v.is(';') | v.is('\t') | v.is('\n') | v.is('\r');
    }
};

// Before a value of JSON.
struct JsonSeparator {
    static constexpr bool has(char c) { return c == ',' || c == ':' || c == '[' || c == '{'; }
    template <class Vector>
    static auto among(Vector v) {
        return v.is(',') | v.is(':') | v.is('[') | v.is('{');
    }
};

// In each record of FASTA and of FASTQ.
struct SequenceMark {
    static constexpr bool has(char c) { return c == '>' || c == '+'; }
    template <class Vector>
    static auto among(Vector v) {
        return v.is('>') | v.is('+');
    }
};

}  // namespace sluice::bytes
