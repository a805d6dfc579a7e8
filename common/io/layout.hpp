// How the human formats lay out a table: aligned lines as wide as the terminal, without the columns that do not fit, or
// records where too many do not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

// Breaks `words` at blanks into lines of at most `width` characters. The lines after the first begin with `indent`
// blanks; the first is taken to begin after `used` characters. A word is never broken.
std::string wrapped(const std::string& words, std::size_t width, std::size_t indent = 0, std::size_t used = 0);

struct LaidOutColumn {
    std::string heading;
    bool number = false;    // to the right
    std::size_t width = 0;  // of the heading and the widest cell that is expected
    int rank = 0;           // the highest is left out first where the line is too narrow; 0: never
};

// What a cell shows that does not apply; records leave it out.
constexpr const char* not_applicable = "-";

class Layout {
public:
    Layout(std::vector<LaidOutColumn> columns, std::size_t width, bool markdown);

    std::string head() const;  // "" for records
    // One field per column. A field wider than its column widens it for the rows that follow.
    std::string row(const std::vector<std::string>& fields);
    // Which columns are left out, and where they are; "" for none.
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
    std::size_t wrapped_width_ = 0;  // of the last column, if its words go on below; 0: they do not
    bool markdown_, records_ = false, after_first_ = false;
};
