#!/usr/bin/env python3
# Writes html_entity_table.hpp: python3 html_entity_table.py > html_entity_table.hpp
# Source: the named character references of the HTML standard (https://html.spec.whatwg.org/#named-character-references)
# as Python carries them.
from html.entities import html5
from textwrap import wrap

HEADER = """// The named character references of the HTML standard. Made by html_entity_table.py; do not edit.
#pragma once

#include <string_view>

namespace sluice::feed {
"""


def definition(name, comment, words):
    lines = [f'    "{line} "' for line in wrap(" ".join(words), 112, break_long_words=False, break_on_hyphens=False)]
    return f"\n// {comment}\ninline constexpr std::string_view {name} =\n" + "\n".join(lines) + ";\n"


def codes(text):
    return "+".join(f"{ord(character):X}" for character in text)


entities = [f"{name[:-1]} {codes(html5[name])}" for name in sorted(html5) if name.endswith(";")]
legacy = sorted(name for name in html5 if not name.endswith(";"))
print(HEADER + definition("html_entities", "Name and code points, in hexadecimal. A space ends each word.", entities) +
      definition("html_legacy_names", "The names that need no ';', for the sake of old pages.", legacy) +
      "\n}  // namespace sluice::feed")
