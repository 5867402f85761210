// Text, in UTF-8, as it is written in XML. Characters that XML can't have become U+FFFD. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::feed {

// Appends the text as an element's content: a reader sees the same text. Takes at most five times its bytes.
void append_xml_content(std::string& xml, std::string_view text);
// Appends the text as a part of an attribute's value, in quotation marks. It is right in an element's content, too.
void append_xml_value(std::string& xml, std::string_view text);
// Appends ` name="value"`.
void append_xml_attribute(std::string& xml, std::string_view name, std::string_view value);

}  // namespace sluice::feed
