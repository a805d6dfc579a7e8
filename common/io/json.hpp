// Strings and numbers as JSON text; the code that prints them writes the rest.
#pragma once

#include <string>
#include <string_view>

// In quotes and escaped. Invalid UTF-8 becomes U+FFFD, so that every reader accepts the line.
std::string json_string(std::string_view text);

// A number in fixed point without trailing zeros: "0.0500" becomes 0.05, "12.00" 12.0.
std::string json_number(std::string_view fixed_point);
