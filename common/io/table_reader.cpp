// SPDX-License-Identifier: MIT
#include "common/io/table_reader.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>

#include "common/io/decimal.hpp"
#include "common/io/input_file.hpp"
#include "common/io/number_writer.hpp"
#include "common/io/text.hpp"

namespace {

constexpr std::size_t longest_line = std::size_t{64} << 20;

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// Whether all of the text is a number. One that no double can hold is not: it is more likely a name such as 12e4567.
bool read_number(std::string_view text, double& number) {
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = real_from_chars(text.data(), end, number);
    return error == std::errc() && stopped == end;
}

}  // namespace

// ---- a column

void TableColumn::add(std::uint64_t cell) {
    if (rows_ == 0) constant_ = cell;
    if (cells_.empty() && cell != constant_) cells_.assign(rows_, constant_);
    if (cell != constant_ || !cells_.empty()) cells_.push_back(cell);
    ++rows_;
}

std::uint64_t TableColumn::cell_of(std::string_view text) {
    text = trimmed(text);
    if (text.empty()) return empty_cell;
    double number = 0;
    if (read_number(text, number)) {
        if (std::isnan(number)) return empty_cell;
        has_numbers_ = true;
        return std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number);  // -0 is 0
    }
    const auto known = index_of_word_.find(text);
    if (known != index_of_word_.end()) return word_cell | known->second;
    index_of_word_.emplace(text, words_.size());
    words_.emplace_back(text);
    return word_cell | (words_.size() - 1);
}

void TableColumn::add_text(std::string_view text) {
    if (text != last_text_) {
        last_cell_ = cell_of(text);
        last_text_ = text;
    }
    add(last_cell_);
}

void TableColumn::add_number(double number) {
    has_numbers_ |= !std::isnan(number);
    add(std::isnan(number) ? empty_cell : std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number));
}

void TableColumn::add_list(const std::vector<double>& numbers) {
    add(list_cell | list_begins_.size());
    list_begins_.push_back(list_values_.size());
    list_values_.insert(list_values_.end(), numbers.begin(), numbers.end());
}

double TableColumn::number(std::size_t row) const {
    const double number = std::bit_cast<double>(cell(row));
    return std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number;
}

std::string TableColumn::word(std::size_t row) const {
    const std::uint64_t bits = cell(row);
    if ((bits & kind_mask) == word_cell) return words_[bits & ~kind_mask];
    const double value = number(row);
    if (std::isnan(value)) return "";
    constexpr double exact = 9007199254740992;  // 2^53
    if (std::trunc(value) == value && std::abs(value) < exact) return number_text(static_cast<long long>(value));
    return number_text(value);
}

std::span<const double> TableColumn::list(std::size_t row) const {
    const std::uint64_t bits = cell(row), index = bits & ~kind_mask;
    if ((bits & kind_mask) != list_cell) return {};
    const std::size_t begin = list_begins_[index];
    const std::size_t end = index + 1 < list_begins_.size() ? list_begins_[index + 1] : list_values_.size();
    return {list_values_.data() + begin, end - begin};
}

// ---- a table

const TableColumn* DataTable::find(std::string_view column) const {
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const TableColumn& one) { return one.name() == column; });
    return found == columns.end() ? nullptr : &*found;
}

const TableColumn& DataTable::column(std::string_view wanted) const {
    if (const TableColumn* found = find(wanted)) return *found;
    const std::string nearest = nearest_name(wanted, names());
    const std::string hint = nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
    fail(Exit::bad_input, "{}: {}", name,
         printable(text("no column '{}'{}; its columns are {}", wanted, hint, list_text(names(), "and")), 500));
}

std::vector<std::string> DataTable::names() const {
    std::vector<std::string> names;
    for (const TableColumn& column : columns) names.push_back(column.name());
    return names;
}

std::size_t TableBuilder::index_of(std::string_view column) {
    const auto [place, is_new] = index_.try_emplace(std::string(column), table_.columns.size());
    if (!is_new) return place->second;
    TableColumn& added = table_.columns.emplace_back(place->first);
    // The row that is being read gets its cell later.
    const std::size_t complete = table_.rows() - (is_in_row_ ? 1 : 0);
    for (std::size_t row = 0; row < complete; ++row) added.add_empty();
    return place->second;
}

TableColumn* TableBuilder::open(std::size_t column) {
    TableColumn& found = table_.columns[column];
    return found.rows() < table_.rows() ? &found : nullptr;
}

void TableBuilder::end_row() {
    for (TableColumn& column : table_.columns)
        if (column.rows() < table_.rows()) column.add_empty();
    is_in_row_ = false;
}

// ---- lines, and the fields of CSV and TSV

namespace {

// The lines of a file, without their ends.
class Lines {
public:
    explicit Lines(InputFile& file) : file_(file) {}

    // The next line that is not blank. With `quotes` it extends to the line that closes its last quote. The view is
    // valid until the next call.
    bool next(std::string_view& line, bool quotes) {
        do {
            begin_ = after_;
            line_ = next_line_;
            if (!find_end(quotes)) return false;
            line = std::string_view(buffer_.data() + begin_, end_ - begin_);
            if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        } while (trimmed(line).empty());
        return true;
    }
    std::size_t number() const { return line_; }

    template <typename... Arguments>
    [[noreturn]] void fail(std::string_view format, const Arguments&... arguments) const {
        file_.fail("line {}: {}", line_, text(format, arguments...));
    }

private:
    // Finds the end of the line at begin_, reading more as needed. Returns false at the end of the file.
    bool find_end(bool quotes) {
        std::size_t searched = begin_;
        bool is_open = false;
        for (;;) {
            const char* const found =
                static_cast<const char*>(std::memchr(buffer_.data() + searched, '\n', filled_ - searched));
            const std::size_t stop = found ? static_cast<std::size_t>(found - buffer_.data()) : filled_;
            if (quotes) is_open ^= std::count(buffer_.data() + searched, buffer_.data() + stop, '"') % 2 != 0;
            next_line_ += found != nullptr;
            searched = stop + (found != nullptr);
            if (found && !is_open) {
                end_ = stop, after_ = searched;
                return true;
            }
            if (found) continue;
            const std::size_t moved = begin_;
            if (!read_more()) {
                if (is_open) fail("a quote is opened and never closed");
                end_ = after_ = filled_;
                return end_ > begin_;
            }
            searched -= moved - begin_;
        }
    }

    // Moves what is left to the front, and reads more after it.
    bool read_more() {
        if (filled_ - begin_ > longest_line) fail("is longer than {} MiB; is this a table?", longest_line >> 20);
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
        filled_ -= begin_;
        begin_ = 0;
        if (buffer_.size() < filled_ + block) buffer_.resize(std::max(filled_ + block, 2 * buffer_.size()));
        const std::size_t got = file_.read(buffer_.data() + filled_, block);
        filled_ += got;
        return got > 0;
    }

    static constexpr std::size_t block = std::size_t{1} << 18;
    InputFile& file_;
    std::vector<char> buffer_ = std::vector<char>(2 * block);
    std::size_t begin_ = 0, end_ = 0, after_ = 0, filled_ = 0;  // of the line, and of what has been read
    std::size_t line_ = 1, next_line_ = 1;
};

// Calls take(index, field) for each field of a line. Returns how many there are.
template <typename Take>
std::size_t for_each_field(std::string_view line, char separator, Take take) {
    const bool quoted = separator != '\t' && line.find('"') != line.npos;
    std::string unescaped;
    std::size_t index = 0;
    for (std::size_t begin = 0;; ++index) {
        std::string_view field;
        std::size_t end;
        if (quoted && begin < line.size() && line[begin] == '"') {
            unescaped.clear();
            for (end = begin + 1; end < line.size(); ++end) {
                if (line[end] != '"') unescaped += line[end];
                else if (end + 1 < line.size() && line[end + 1] == '"') unescaped += line[end++];
                else break;
            }
            end = std::min(line.find(separator, std::min(end, line.size())), line.size());
            field = unescaped;
        } else {
            end = std::min(line.find(separator, begin), line.size());
            field = line.substr(begin, end - begin);
        }
        take(index, field);
        if (end == line.size()) return index + 1;
        begin = end + 1;
    }
}

class SeparatedReader {
public:
    SeparatedReader(Lines& lines, TableBuilder& builder, char separator)
        : lines_(lines), builder_(builder), separator_(separator) {}

    void read_header(std::string_view line) {
        names_.clear(), places_.clear();
        bool has_name = false;
        for_each_field(line, separator_, [&](std::size_t index, std::string_view field) {
            std::string name(trimmed(field));
            double number = 0;
            has_name |= !name.empty() && !read_number(name, number);
            if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < ' '; }))
                lines_.fail("is not text: expected the header of a table in CSV, TSV or JSON Lines");
            if (name.empty()) name = text("column_{}", index + 1);
            if (std::find(names_.begin(), names_.end(), name) != names_.end())
                lines_.fail("names the column '{}' twice; rename one", name);
            names_.push_back(name);
        });
        if (!has_name) lines_.fail("has only numbers: expected a header that names the columns; put one in front");
        for (const std::string& name : names_) places_.push_back(builder_.index_of(name));
    }

    void read_row(std::string_view line) {
        if (is_header(line)) return read_header(line);
        builder_.begin_row(lines_.number());
        const std::size_t fields = for_each_field(line, separator_, [&](std::size_t index, std::string_view field) {
            if (index >= places_.size()) return;
            if (TableColumn* column = builder_.open(places_[index])) column->add_text(field);
        });
        if (fields != names_.size())
            lines_.fail("has {} field{}, and the header names {} column{}", fields, fields == 1 ? "" : "s",
                        names_.size(), names_.size() == 1 ? "" : "s");
        builder_.end_row();
    }

private:
    // Whether the line is the header again, of a table that was appended to the first.
    bool is_header(std::string_view line) const {
        if (line.substr(0, names_[0].size()) != names_[0]) return false;
        bool same = true;
        for_each_field(line, separator_, [&](std::size_t index, std::string_view field) {
            if (index < std::min<std::size_t>(2, names_.size())) same &= trimmed(field) == names_[index];
        });
        return same;
    }

    Lines& lines_;
    TableBuilder& builder_;
    char separator_;
    std::vector<std::string> names_;
    std::vector<std::size_t> places_;
};

// The first of these that the header has; a table of one column has none.
char separator_of(std::string_view header) {
    for (const char separator : {'\t', ',', ';'})
        if (header.find(separator) != header.npos) return separator;
    return ',';
}

}  // namespace

DataTable read_table(const std::string& path, Lists lists, StepCount* count) {
    InputFile file(path);
    if (count) file.count_into(*count);
    DataTable table;
    table.name = file.name();
    TableBuilder builder(table, lists);
    Lines source(file);
    std::string_view line;
    if (!source.next(line, false)) file.fail("is empty: expected a table in CSV, TSV or JSON Lines, with a header");
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (line.substr(0, 3) == byte_order_mark) line.remove_prefix(3);
    if (trimmed(line).front() == '[')
        source.fail("is a JSON array: expected an object per line; jq -c '.[]' converts it");
    if (trimmed(line) == "{" || line.find("\"traceEvents\"") != line.npos) {
        std::string whole(line);
        while (source.next(line, false)) (whole += '\n') += line;
        const std::string wrong = add_trace(whole, builder);
        if (!wrong.empty()) file.fail("{}", wrong);
        return table;
    }
    if (trimmed(line).front() == '{') {
        std::vector<JsonMember> last;
        do {
            builder.begin_row(source.number());
            const std::string wrong = add_json_row(trimmed(line), builder, last);
            if (!wrong.empty()) source.fail("{}", wrong);
            builder.end_row();
        } while (source.next(line, false));
        return table;
    }
    const char separator = separator_of(line);
    SeparatedReader reader(source, builder, separator);
    reader.read_header(line);
    while (source.next(line, separator != '\t')) reader.read_row(line);
    return table;
}
