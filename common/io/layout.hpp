// SPDX-License-Identifier: MIT
// How the human formats lay out a table: aligned lines as wide as the terminal, without the columns that do not fit, or
// records if too many columns do not fit.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

struct LaidOutColumn {
    std::string heading;
    bool number = false;    // aligned right
    std::size_t width = 0;  // of the heading and the widest cell that is expected
    int rank = 0;           // if the line is too narrow, the highest is left out first; 0: never
};

// What a cell shows if it does not apply; records omit it.
constexpr const char* not_applicable = "-";

class Layout {
public:
    Layout(std::vector<LaidOutColumn> columns, std::size_t width, bool markdown);

    std::string head() const;  // "" for records
    // One field per column. A field wider than its column widens it for the rows that follow.
    std::string row(const std::vector<std::string>& fields);
    // Which columns are left out, and how to see them; "" for none.
    std::string note() const;

private:
    std::size_t width_of_all() const;
    bool fits();
    bool leave_one_out();
    std::string line(const std::vector<std::string>& fields) const;
    std::string record(const std::vector<std::string>& fields) const;

    struct Placed : LaidOutColumn {
        bool shown = true;
    };
    std::vector<Placed> columns_;
    std::size_t width_, whole_width_;
    std::size_t wrapped_width_ = 0;  // of the last column, if its text wraps; 0: it does not
    bool markdown_, records_ = false, after_first_ = false;
};
