// JSON's two scalars as text; what they stand in is written where it is printed.
#pragma once

#include <string>
#include <string_view>

// In quotes and escaped. What is no UTF-8 becomes U+FFFD, so that every reader takes the line.
std::string json_string(std::string_view text);

// A number in fixed point without the zeros at its end: "0.0500" becomes 0.05, "12.00" 12.0.
std::string json_number(std::string_view fixed_point);
