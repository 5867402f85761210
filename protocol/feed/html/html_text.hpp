// The text that readers of HTML see. Pure function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::feed {

// Without tags, comments, scripts and styles; references are characters (html_entities.hpp), white space is one blank,
// and so is what separates blocks, such as <p> and <br>. Never fails, and takes linear time: a '<' or '&' that begins
// nothing is text, and what has no end goes to the end. UTF-8 stays UTF-8, at most a fifth longer than it was
// ("&nGt;").
std::string html_text(std::string_view html);

}  // namespace sluice::feed
