// Amounts as a person reads them.
#pragma once

#include <string>

// "16.0 GiB", "512 B": for messages and human tables.
std::string human_bytes(double bytes);

// "7 s", "12 min", "2.5 h".
std::string human_duration(double seconds);
