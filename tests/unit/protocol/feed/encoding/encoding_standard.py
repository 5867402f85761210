#!/usr/bin/env python3
"""Prints what the WHATWG Encoding Standard says, for encoding_decoder_test.cpp and encoding_corrections.cpp.

usage: encoding_standard.py digests FOLDER
       encoding_standard.py corrections FOLDER

FOLDER has the standard's index-*.txt, from https://encoding.spec.whatwg.org/ or the repository whatwg/encoding. The
digests in the test are from its commit a985b62a of 2026-05-21 (indexes of 2024-09-18). `digests` decodes the inputs
that inputs_of() defines, which the test makes in the same order, with decoders that follow the standard byte by byte,
and prints a digest of the texts for each encoding. `corrections` prints where this machine's iconv differs from the
indexes.
"""
import ctypes
import pathlib
import sys

ERROR = 0xFFFD
SINGLE_BYTE = ("IBM866 ISO-8859-2 ISO-8859-3 ISO-8859-4 ISO-8859-5 ISO-8859-6 ISO-8859-7 ISO-8859-8 ISO-8859-10 "
               "ISO-8859-13 ISO-8859-14 ISO-8859-15 ISO-8859-16 KOI8-R KOI8-U macintosh windows-874 windows-1250 "
               "windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 "
               "windows-1258 x-mac-cyrillic x-user-defined").split()
MULTI_BYTE = "Big5 EUC-JP EUC-KR GBK ISO-2022-JP Shift_JIS UTF-16BE UTF-16LE UTF-8 gb18030".split()


def read_index(folder, name):
    rows = (pathlib.Path(folder) / f"index-{name.lower()}.txt").read_text(encoding="utf-8").split("\n")
    return {int(row.split("\t")[0]): int(row.split("\t")[1], 16) for row in rows if row and row[0] != "#"}


class Decoder:
    """Decodes with `handle(byte)`, which returns code points, [ERROR] or []; byte None is the end.

    self.restored: the bytes that the handler puts back."""

    def __init__(self, indexes):
        self.indexes = indexes

    def decode(self, data):
        self.lead = self.second = self.third = 0
        self.restored, text, at = [], [], 0
        self.reset()
        queue = list(data)[::-1]
        while queue:
            text += self.handle(queue.pop())
            queue += self.restored[::-1]
            self.restored = []
        while True:  # what the end puts back is read, too
            more = self.end()
            text += more
            if not self.restored:
                return "".join(map(chr, text))
            queue, self.restored = self.restored[::-1], []
            while queue:
                text += self.handle(queue.pop())
                queue += self.restored[::-1]
                self.restored = []

    def reset(self):
        pass

    def end(self):
        ended_inside = self.lead or self.second or self.third
        self.lead = self.second = self.third = 0
        return [ERROR] if ended_inside else []

    def by_pointer(self, index, pointer, byte):
        code = None if pointer is None else self.indexes[index].get(pointer)
        if code is not None:
            return [code]
        if byte < 0x80:
            self.restored = [byte]
        return [ERROR]


class SingleByte(Decoder):
    def __init__(self, index):
        super().__init__({})
        self.index = index

    def handle(self, byte):
        return [byte] if byte < 0x80 else [self.index.get(byte - 0x80, ERROR)]


class DoubleByte(Decoder):
    """Big5, EUC-KR and Shift_JIS: `leads`, and `pointer(lead, trail)`."""

    def handle(self, byte):
        if self.lead:
            lead, self.lead = self.lead, 0
            return self.trail(lead, byte)
        if byte < 0x80:
            return [byte]
        if self.is_lead(byte):
            self.lead = byte
            return []
        return self.single(byte)

    def is_lead(self, byte):
        return 0x81 <= byte <= 0xFE

    def single(self, byte):
        return [ERROR]


class Big5(DoubleByte):
    def trail(self, lead, byte):
        pointer = None
        if 0x40 <= byte <= 0x7E or 0xA1 <= byte <= 0xFE:
            pointer = (lead - 0x81) * 157 + byte - (0x40 if byte < 0x7F else 0x62)
        pairs = {1133: [0xCA, 0x304], 1135: [0xCA, 0x30C], 1164: [0xEA, 0x304], 1166: [0xEA, 0x30C]}
        return pairs.get(pointer) or self.by_pointer("big5", pointer, byte)


class EucKr(DoubleByte):
    def trail(self, lead, byte):
        return self.by_pointer("euc-kr", (lead - 0x81) * 190 + byte - 0x41 if 0x41 <= byte <= 0xFE else None, byte)


class ShiftJis(DoubleByte):
    def is_lead(self, byte):
        return 0x81 <= byte <= 0x9F or 0xE0 <= byte <= 0xFC

    def single(self, byte):
        return [0x80] if byte == 0x80 else [0xFF61 - 0xA1 + byte] if 0xA1 <= byte <= 0xDF else [ERROR]

    def trail(self, lead, byte):
        pointer = None
        if 0x40 <= byte <= 0x7E or 0x80 <= byte <= 0xFC:
            pointer = (lead - (0x81 if lead < 0xA0 else 0xC1)) * 188 + byte - (0x40 if byte < 0x7F else 0x41)
            if 8836 <= pointer <= 10715:
                return [0xE000 - 8836 + pointer]
        return self.by_pointer("jis0208", pointer, byte)


class EucJp(Decoder):
    def reset(self):
        self.is_jis0212 = False

    def handle(self, byte):
        lead = self.lead
        if lead == 0x8E and 0xA1 <= byte <= 0xDF:
            self.lead = 0
            return [0xFF61 - 0xA1 + byte]
        if lead == 0x8F and 0xA1 <= byte <= 0xFE:
            self.is_jis0212, self.lead = True, byte
            return []
        if lead:
            self.lead, is_jis0212, self.is_jis0212 = 0, self.is_jis0212, False
            pointer = None
            if 0xA1 <= lead <= 0xFE and 0xA1 <= byte <= 0xFE:
                pointer = (lead - 0xA1) * 94 + byte - 0xA1
            return self.by_pointer("jis0212" if is_jis0212 else "jis0208", pointer, byte)
        if byte < 0x80:
            return [byte]
        if byte in (0x8E, 0x8F) or 0xA1 <= byte <= 0xFE:
            self.lead = byte
            return []
        return [ERROR]


class Gb18030(Decoder):
    def handle(self, byte):
        if self.third:
            lead, second, third = self.lead, self.second, self.third
            self.lead = self.second = self.third = 0
            if not 0x30 <= byte <= 0x39:
                self.restored = [second, third, byte]
                return [ERROR]
            return self.range((((lead - 0x81) * 10 + second - 0x30) * 126 + third - 0x81) * 10 + byte - 0x30)
        if self.second:
            if 0x81 <= byte <= 0xFE:
                self.third = byte
                return []
            self.restored = [self.second, byte]
            self.lead = self.second = 0
            return [ERROR]
        if self.lead:
            if 0x30 <= byte <= 0x39:
                self.second = byte
                return []
            lead, self.lead = self.lead, 0
            pointer = None
            if 0x40 <= byte <= 0x7E or 0x80 <= byte <= 0xFE:
                pointer = (lead - 0x81) * 190 + byte - (0x40 if byte < 0x7F else 0x41)
            return self.by_pointer("gb18030", pointer, byte)
        if byte < 0x80:
            return [byte]
        if byte == 0x80:
            return [0x20AC]
        if byte == 0xFF:
            return [ERROR]
        self.lead = byte
        return []

    def range(self, pointer):
        if 39419 < pointer < 189000 or pointer > 1237575:
            return [ERROR]
        if pointer == 7457:
            return [0xE7C7]
        ranges = self.indexes["gb18030-ranges"]
        offset = max(start for start in ranges if start <= pointer)
        return [ranges[offset] + pointer - offset]


class Iso2022Jp(Decoder):
    def reset(self):
        self.state = self.output_state = "ascii"
        self.output = False

    def handle(self, byte):
        state = self.state
        if state == "escape start":
            if byte in (0x24, 0x28):
                self.lead, self.state = byte, "escape"
                return []
            if byte is not None:
                self.restored = [byte]
            self.output, self.state = False, self.output_state
            return [ERROR]
        if state == "escape":
            lead, self.lead = self.lead, 0
            found = {(0x28, 0x42): "ascii", (0x28, 0x4A): "roman", (0x28, 0x49): "katakana", (0x24, 0x40): "lead",
                     (0x24, 0x42): "lead"}.get((lead, byte))
            if found:
                self.state = self.output_state = found
                output, self.output = self.output, True
                return [ERROR] if output else []
            self.restored = [lead] if byte is None else [lead, byte]
            self.output, self.state = False, self.output_state
            return [ERROR]
        if state == "trail":
            lead, self.lead = self.lead, 0
            self.state = "escape start" if byte == 0x1B else "lead"
            if byte is None or not 0x21 <= byte <= 0x7E:
                return [ERROR]
            return [self.indexes["jis0208"].get((lead - 0x21) * 94 + byte - 0x21, ERROR)]
        if byte is None:
            return []
        if byte == 0x1B:
            self.state = "escape start"
            return []
        self.output = False
        if state == "lead" and 0x21 <= byte <= 0x7E:
            self.lead, self.state = byte, "trail"
            return []
        if state == "katakana" and 0x21 <= byte <= 0x5F:
            return [0xFF61 - 0x21 + byte]
        if state in ("lead", "katakana") or byte >= 0x80 or byte in (0x0E, 0x0F):
            return [ERROR]
        return [{0x5C: 0xA5, 0x7E: 0x203E}.get(byte, byte) if state == "roman" else byte]

    def end(self):
        return self.handle(None)


class Utf16(Decoder):
    def __init__(self, is_big_endian):
        super().__init__({})
        self.is_big_endian = is_big_endian

    def reset(self):
        self.first = self.surrogate = None

    def handle(self, byte):
        if self.first is None:
            self.first = byte
            return []
        pair = [self.first, byte]
        unit = self.first << 8 | byte if self.is_big_endian else byte << 8 | self.first
        self.first = None
        if self.surrogate is not None:
            lead, self.surrogate = self.surrogate, None
            if 0xDC00 <= unit <= 0xDFFF:
                return [0x10000 + ((lead - 0xD800) << 10) + unit - 0xDC00]
            self.restored = pair
            return [ERROR]
        if 0xD800 <= unit <= 0xDBFF:
            self.surrogate = unit
            return []
        return [ERROR] if 0xDC00 <= unit <= 0xDFFF else [unit]

    def end(self):
        ended_inside = self.first is not None or self.surrogate is not None
        self.reset()
        return [ERROR] if ended_inside else []


class Utf8:
    def decode(self, data):  # Python replaces as the standard does
        return bytes(data).decode("utf-8", "replace")


def random_bytes(state):
    """A stream of numbers below 2^16."""
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 48


LEADS = [0x00, 0x1B, 0x24, 0x28, 0x30, 0x39, 0x3C, 0x40, 0x41, 0x42, 0x49, 0x4A, 0x5C, 0x7E, 0x7F, 0x80, 0x81, 0x84,
         0x8E, 0x8F, 0x9F, 0xA0, 0xA1, 0xB0, 0xC2, 0xD8, 0xDC, 0xDF, 0xE0, 0xE3, 0xED, 0xF0, 0xF4, 0xFC, 0xFE, 0xFF]


def inputs_of(encoding):
    """All single bytes and pairs of bytes; the characters of three and four bytes; 20,000 random sequences."""
    for first in range(256):
        yield [first]
    if encoding in SINGLE_BYTE:
        return
    for first in range(256):
        for second in range(256):
            yield [first, second]
    if encoding == "EUC-JP":
        for pointer in range(128 * 128):
            yield [0x8F, 0x80 + pointer // 128, 0x80 + pointer % 128]
    if encoding == "gb18030":
        for pointer in [*range(39500), *range(188990, 189010), *range(1237570, 1237580)]:
            yield [0x81 + pointer // 12600, 0x30 + pointer // 1260 % 10, 0x81 + pointer // 10 % 126,
                   0x30 + pointer % 10]
    if encoding == "ISO-2022-JP":
        for pointer in range(94 * 94):
            yield [0x1B, 0x24, 0x42, 0x21 + pointer // 94, 0x21 + pointer % 94]
        for byte in range(256):
            yield [0x1B, 0x28, 0x49, byte]
            yield [0x1B, 0x28, 0x4A, byte]
    numbers = random_bytes(1)
    for _ in range(20000):
        data = []
        while len(data) < 12:
            kind, value = next(numbers), next(numbers)
            if encoding == "ISO-2022-JP" and kind % 4 == 0:
                data += [0x1B, (0x24, 0x28)[value % 2], (0x40, 0x42, 0x49, 0x4A)[value // 2 % 4]]
            elif kind % 4 == 1:
                data.append(value % 256)
            else:
                data.append(LEADS[value % len(LEADS)])
        yield data


def digest(decoder, encoding):
    """FNV-1a, 64 bits, of all texts in UTF-8, each with a newline behind it."""
    value = 0xCBF29CE484222325
    for data in inputs_of(encoding):
        for byte in decoder.decode(data).encode("utf-8") + b"\n":
            value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def decoders_of(folder):
    indexes = {name: read_index(folder, name)
               for name in ("big5", "euc-kr", "gb18030", "gb18030-ranges", "jis0208", "jis0212")}
    decoders = {name: SingleByte(read_index(folder, name)) for name in SINGLE_BYTE if name != "x-user-defined"}
    decoders["x-user-defined"] = SingleByte({byte: 0xF780 + byte for byte in range(128)})
    decoders.update({"Big5": Big5(indexes), "EUC-JP": EucJp(indexes), "EUC-KR": EucKr(indexes),
                     "GBK": Gb18030(indexes), "gb18030": Gb18030(indexes), "ISO-2022-JP": Iso2022Jp(indexes),
                     "Shift_JIS": ShiftJis(indexes), "UTF-16BE": Utf16(True), "UTF-16LE": Utf16(False),
                     "UTF-8": Utf8()})
    return decoders


class Iconv:
    libc = ctypes.CDLL(None)
    libc.iconv_open.restype = ctypes.c_void_p
    libc.iconv.restype = ctypes.c_size_t
    failed = ctypes.c_size_t(-1).value

    def __init__(self, name):
        self.handle = ctypes.c_void_p(self.libc.iconv_open(b"UTF-32LE", name.encode()))

    def character(self, data):
        """The character of these bytes; 0 if they are none or several."""
        data, out = ctypes.c_char_p(bytes(data)), ctypes.create_string_buffer(32)
        in_left, out_left = ctypes.c_size_t(len(data.value)), ctypes.c_size_t(32)
        at = ctypes.c_char_p(ctypes.addressof(out))
        done = self.libc.iconv(self.handle, ctypes.byref(data), ctypes.byref(in_left), ctypes.byref(at),
                               ctypes.byref(out_left))
        self.libc.iconv(self.handle, None, None, ctypes.byref(at), ctypes.byref(out_left))
        return int.from_bytes(out.raw[:4], "little") if done != self.failed and out_left.value == 28 else 0


def corrections(folder):
    """Yields (index, pointer, character) where iconv differs; the rule for windows-* is not in them."""
    def short(pointer, row, low, gap):
        return [pointer // row + 0x81, pointer % row + (low if pointer % row < 0x3F else gap)]
    decoder = decoders_of(folder)
    sources = {
        "Big5": ("BIG5-HKSCS", 126 * 157, lambda p: short(p, 157, 0x40, 0x62)),
        "EUC-KR": ("CP949", 126 * 190, lambda p: [p // 190 + 0x81, p % 190 + 0x41]),
        "gb18030": ("GB18030", 126 * 190, lambda p: short(p, 190, 0x40, 0x41)),
        "gb18030-ranges": ("GB18030", 39420, lambda p: [0x81 + p // 12600, 0x30 + p // 1260 % 10,
                                                        0x81 + p // 10 % 126, 0x30 + p % 10]),
        "jis0212": ("EUC-JP", 94 * 94, lambda p: [0x8F, p // 94 + 0xA1, p % 94 + 0xA1]),
    }
    names = {"macintosh": "MACINTOSH", "x-mac-cyrillic": "MAC-UK", "IBM866": "CP866"}
    for name in SINGLE_BYTE[:-1]:
        sources[name] = (names.get(name, name.replace("windows-", "CP")), 128, lambda p: [p + 0x80])
    lead_0208 = lambda p: p // 188 + (0x81 if p // 188 < 0x1F else 0xC1)
    sources["jis0208"] = ("CP932", 60 * 188, lambda p: [lead_0208(p), short(p, 188, 0x40, 0x41)[1]])
    for name, (charset, pointers, bytes_of) in sources.items():
        iconv = Iconv(charset)
        if name == "gb18030-ranges":
            index = {pointer: decoder["gb18030"].range(pointer)[0] for pointer in range(pointers)}
        else:
            index = read_index(folder, name)
        for pointer in range(pointers):
            right, found = index.get(pointer, 0), iconv.character(bytes_of(pointer))
            is_control = name.startswith("windows-") and found == 0 and pointer < 32 and right == pointer + 0x80
            is_own = name == "jis0208" and 8836 <= pointer <= 10715  # Shift_JIS reads them without the index
            if right != found and not is_control and not is_own:
                yield name, pointer, right


def main():
    what, folder = sys.argv[1:]
    if what == "corrections":
        for name, pointer, character in corrections(folder):
            print(f"{name} {pointer} U+{character:04X}")
        return
    decoders = decoders_of(folder)
    for encoding in SINGLE_BYTE + MULTI_BYTE:
        print(f'    {{"{encoding}", 0x{digest(decoders[encoding], encoding):016X}u}},', flush=True)


if __name__ == "__main__":
    main()
