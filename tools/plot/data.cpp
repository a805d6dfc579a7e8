// SPDX-License-Identifier: MIT
#include "tools/plot/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/cli/sizes.hpp"
#include "common/io/parse_text.hpp"
#include "common/io/text.hpp"
#include "tools/plot/axis.hpp"

namespace plot {
namespace {

// The finalizer of SplitMix64.
std::uint64_t mixed(std::uint64_t bits) {
    bits += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
}

// The words; numbers are named by what they count.
std::string name_of(const std::vector<Field>& by, const std::vector<std::string>& words, RowOf row) {
    std::string name;
    for (std::size_t i = 0; i < by.size(); ++i) {
        const double number = by[i].number(row);
        std::string part = words[i].empty() ? "none" : words[i];
        if (by[i].is_numeric() && !std::isnan(number)) {
            const Quantity quantity = quantity_of(by[i].name());
            part = label_of(by[i].name()) + ' ' + (quantity.unit.empty() ? part : shown(number, quantity));
        }
        name += (name.empty() ? "" : ", ") + part;
    }
    return name;
}

}  // namespace

Field::Field(std::string name, const std::vector<DataTable>& tables)
    : name_(std::move(name)), nan_(std::numeric_limits<double>::quiet_NaN()) {
    bool has_words = false;
    for (const DataTable& table : tables) {
        of_.push_back(table.find(name_));
        if (!of_.back()) continue;
        exists_ = true;
        numeric_ |= of_.back()->is_numeric();
        has_words |= of_.back()->has_words();
    }
    numeric_ &= !has_words;
}

std::span<const double> Field::list(RowOf at) const {
    return of_[at.table] ? of_[at.table]->list(at.row) : std::span<const double>();
}

Data::Data(std::vector<DataTable> tables) {
    for (DataTable& table : tables) {
        const bool of_devquery =
            tables.size() > 1 && table.find("property") && table.find("value") && !table.find("kernel");
        (of_devquery ? devices_ : tables_).push_back(std::move(table));
    }
    if (tables_.empty()) tables_.swap(devices_);
    std::size_t total = 0;
    for (const DataTable& table : tables_) total += table.rows();
    rows_.reserve(total);
    std::set<std::string> taken;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
        DataTable& table = tables_[i];
        for (std::size_t row = 0; row < table.rows(); ++row)
            rows_.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(row)});
        if (tables_.size() == 1 || table.find("file")) continue;
        // "before" for "runs/before.csv", unless another file has this name, too.
        std::string name = std::filesystem::path(table.name).stem().string();
        if (!taken.insert(name).second) name = table.name;
        TableColumn& file = table.columns.emplace_back("file");
        for (std::size_t row = 0; row < table.rows(); ++row) file.add_text(name);
    }
}

std::vector<std::string> Data::names() const {
    std::vector<std::string> names;
    std::set<std::string> seen;
    for (const DataTable& table : tables_)
        for (const TableColumn& column : table.columns)
            if (seen.insert(column.name()).second) names.push_back(column.name());
    return names;
}

Field Data::needed(const std::string& name) const {
    Field found = field(name);
    if (!found.exists()) tables_.front().column(name);  // which says what there is
    return found;
}

std::vector<Field> Data::needed(const std::vector<std::string>& names) const {
    std::vector<Field> fields;
    for (const std::string& name : names) fields.push_back(needed(name));
    return fields;
}

double Data::property(const std::string& name) const {
    for (const DataTable& table : devices_)
        for (std::size_t row = 0; row < table.rows(); ++row)
            if (table.column("property").word(row) == name && table.column("value").number(row) > 0)
                return table.column("value").number(row);
    return 0;
}

bool Data::varies(const Field& field) const { return distinct(field, 2) == 2; }

std::size_t Data::distinct(const Field& field, std::size_t most) const {
    std::set<std::string> words;
    std::uint64_t last_key = 0;
    std::uint32_t last_table = UINT32_MAX;
    for (const RowOf row : rows_) {
        const std::uint64_t key = field.key(row);
        if (key == last_key && row.table == last_table) continue;
        last_key = key, last_table = row.table;
        const std::string word = field.word(row);
        if (!word.empty()) words.insert(word);
        if (words.size() >= most) return most;
    }
    return words.size();
}

bool Data::tell_apart(const std::vector<Field>& fields) const {
    std::unordered_set<std::uint64_t> seen;
    seen.reserve(std::min<std::size_t>(rows_.size(), 1024));
    for (const RowOf row : rows_) {
        std::uint64_t hash = mixed(row.table);  // (some two of a million rows collide in one of 37 million tables)
        for (const Field& field : fields) hash = mixed(hash ^ field.key(row));
        if (!seen.insert(hash).second) return false;
    }
    return true;
}

bool is_by_file(const Data& data, const std::vector<Field>& by) {
    return data.is_of_files() && !by.empty() && by.front().name() == "file";
}

std::vector<Group> groups_of(const Data& data, const std::vector<Field>& by, std::size_t most, const char* called) {
    std::vector<Group> groups;
    std::map<std::vector<std::string>, std::size_t> of_words;
    // Within a table keys are enough, and neighbors are often in one group.
    std::unordered_map<std::string, std::size_t> of_keys;
    std::vector<std::uint64_t> keys(by.size() + 1), last;
    std::size_t current = 0;
    for (const RowOf row : data.rows()) {
        for (std::size_t i = 0; i < by.size(); ++i) keys[i] = by[i].key(row);
        keys.back() = row.table;
        if (keys != last) {
            last = keys;
            const std::string bytes(reinterpret_cast<const char*>(keys.data()), keys.size() * sizeof keys[0]);
            const auto known = of_keys.find(bytes);
            if (known != of_keys.end()) {
                current = known->second;
            } else {
                std::vector<std::string> words;
                for (const Field& field : by) words.push_back(field.word(row));
                const auto [place, is_new] = of_words.try_emplace(words, groups.size());
                if (is_new && groups.size() == most) {
                    std::vector<std::string> names;
                    for (const Field& field : by) names.push_back(field.name());
                    fail(Exit::bad_input, "more than {} {} by {}: choose rows with --where or columns with --by", most,
                         called, printable(list_text(names, "and"), 200));
                }
                if (is_new) groups.push_back({words, name_of(by, words, row), {}});
                current = of_keys[bytes] = place->second;
            }
        }
        groups[current].rows.push_back(row);
    }
    return groups;
}

// ---- --where: conditions separated by commas, all of which must hold; words may be patterns, '' is an empty cell,
// and bars separate alternatives

namespace {

struct Condition {
    std::string column, relation;
    std::vector<std::string> words;
    std::vector<double> numbers;  // of the words; nan for a word that is not a number
};

// A number, perhaps with a suffix as in 4Ki.
double number_of(const std::string& word) {
    if (const std::optional<double> number = parse_number(word)) return *number;
    try {
        return static_cast<double>(parse_count(word, "--where"));
    } catch (const Failure&) {
        return std::nan("");
    }
}

Condition condition_of(const std::string& words) {
    const std::size_t begin = words.find_first_of("=<>!"), end = words.find_first_not_of("=<>!", begin);
    Condition condition;
    if (begin != words.npos && begin > 0 && end != words.npos) {
        condition.column = words.substr(0, begin);
        condition.relation = words.substr(begin, end - begin);
        condition.words = split(words.substr(end), '|');
    }
    if (condition.relation == "==") condition.relation = "=";
    const std::vector<std::string> relations = {"=", "!=", "<", "<=", ">", ">="};
    if (std::find(relations.begin(), relations.end(), condition.relation) == relations.end())
        fail(Exit::usage, "--where '{}' is not a condition: COLUMN=WORD, !=, <, <=, > or >=, as in kernel=cub,n>=1Ki",
             words);
    for (std::string& word : condition.words) {
        if (word == "''") word.clear();  // an empty cell
        condition.numbers.push_back(number_of(word));
    }
    if (condition.relation[0] == '<' || condition.relation[0] == '>')
        if (condition.numbers.size() != 1 || std::isnan(condition.numbers[0]))
            fail(Exit::usage, "--where '{}': {} compares numbers, and '{}' is none", words, condition.relation,
                 list_text(condition.words, "or"));
    return condition;
}

bool holds(const Condition& condition, const Field& field, RowOf row) {
    const double number = field.number(row);
    const std::string& relation = condition.relation;
    if (relation == "<") return number < condition.numbers[0];
    if (relation == "<=") return number <= condition.numbers[0];
    if (relation == ">") return number > condition.numbers[0];
    if (relation == ">=") return number >= condition.numbers[0];
    bool found = false;
    for (std::size_t i = 0; i < condition.words.size() && !found; ++i)
        found = number == condition.numbers[i] || matches_glob(condition.words[i], field.word(row));
    return found == (relation == "=");
}

}  // namespace

void Data::keep(const std::string& condition_words) {
    for (const std::string& words : split(condition_words, ',')) {
        const Condition condition = condition_of(words);
        needed(condition.column);
        // (The timer is that of the files.)
        const Field field(condition.column, condition.column == "timer" ? sources() : tables_);
        const auto fails = [&](RowOf row) { return !holds(condition, field, row); };
        rows_.erase(std::remove_if(rows_.begin(), rows_.end(), fails), rows_.end());
    }
}

// ---- predictions in the place of simulated times

namespace {

// Which cells show what was predicted, for a table that shows what was measured.
struct Shown {
    const char *column, *predicted;
    const char* times = nullptr;  // a rate times this is what the column has
};
constexpr Shown shown_columns[] = {
    {"median_ns", "p_predicted_ns"},
    {"p25_ns", "p_predicted_low_ns"},
    {"p75_ns", "p_predicted_high_ns"},
    {"gbyte_per_s", "p_predicted_gbyte_per_s"},
    {"gflop_per_s", "p_predicted_gflop_per_s"},
    {"bytes", "p_predicted_gbyte_per_s", "p_predicted_ns"},
    {"flop", "p_predicted_gflop_per_s", "p_predicted_ns"},
    {"n", "p_predicted_n"},
    {"device", "p_predicted_gpu"},
    {"min_ns", nullptr},
    {"max_ns", nullptr},
    {"mean_ns", nullptr},
    {"cache", nullptr},
};

enum class Origin { host, measured, predicted, simulated };

Origin origin_of(const DataTable& table, std::size_t row) {
    const TableColumn *const timer = table.find("timer"), *const ns = table.find("p_predicted_ns");
    const std::string word = timer ? timer->word(row) : "";
    if (word == "sim") return ns && ns->number(row) > 0 ? Origin::predicted : Origin::simulated;
    return word == "host" ? Origin::host : Origin::measured;
}

void add_cell(TableColumn& to, const TableColumn& from, std::size_t row, double scale) {
    if (from.is_empty(row)) to.add_empty();
    else if (const double number = from.number(row); !std::isnan(number)) to.add_number(number * scale);
    else to.add_text(from.word(row));
}

void show_predictions_in(DataTable& table, const DataTable& source) {
    for (const Shown& one : shown_columns) {
        const TableColumn* const column = source.find(one.column);
        if (!column) continue;
        const TableColumn *const predicted = one.predicted ? source.find(one.predicted) : nullptr,
                                 *const times = one.times ? source.find(one.times) : nullptr;
        TableColumn shown(one.column);
        for (std::size_t row = 0; row < source.rows(); ++row) {
            if (origin_of(source, row) != Origin::predicted) add_cell(shown, *column, row, 1);
            else if (predicted) add_cell(shown, *predicted, row, times ? times->number(row) : 1);
            else shown.add_empty();
        }
        table.columns[static_cast<std::size_t>(column - source.columns.data())] = std::move(shown);
    }
    const TableColumn* const timer = source.find("timer");
    if (!timer) return;
    TableColumn shown("timer");
    for (std::size_t row = 0; row < source.rows(); ++row) switch (origin_of(source, row)) {
            case Origin::predicted: shown.add_text("predicted, " + source.column("p_predicted_gpu").word(row)); break;
            case Origin::measured:
                if (timer->word(row) == "event" && source.find("device")) {
                    shown.add_text("measured, " + source.column("device").word(row));
                    break;
                }
                [[fallthrough]];
            default: add_cell(shown, *timer, row, 1);
        }
    table.columns[static_cast<std::size_t>(timer - source.columns.data())] = std::move(shown);
}

}  // namespace

bool Data::is_predicted(RowOf row) const {
    const TableColumn* const timer = tables_[row.table].find("timer");
    const std::string word = timer ? timer->word(row.row) : "";
    return word == "model" || word.starts_with("predicted, ");
}

bool Data::has_predictions() const {
    return has("p_predicted_ns") && std::any_of(rows_.begin(), rows_.end(), [&](RowOf row) {
               return origin_of(tables_[row.table], row.row) == Origin::predicted;
           });
}

bool Data::has_times_of_gpu() const {
    const Field timer = field("timer");
    return std::any_of(rows_.begin(), rows_.end(), [&](RowOf row) { return timer.word(row) == "event"; });
}

std::size_t Data::show_predictions() {
    sources_ = tables_;
    std::vector<bool> is_of_gpu(tables_.size()), is_simulated(tables_.size());
    std::map<std::string, std::set<std::uint32_t>> tables_of_timer;
    for (std::size_t i = 0; i < tables_.size(); ++i) show_predictions_in(tables_[i], sources_[i]);
    const Field timer = field("timer");
    for (const RowOf row : rows_) {
        const Origin origin = origin_of(sources_[row.table], row.row);
        if (origin == Origin::measured) is_of_gpu[row.table] = true;
        if (origin == Origin::predicted || origin == Origin::simulated) is_simulated[row.table] = true;
    }
    const std::size_t all = rows_.size();
    rows_.erase(std::remove_if(rows_.begin(), rows_.end(),
                               [&](RowOf row) {
                                   const Origin origin = origin_of(sources_[row.table], row.row);
                                   return origin == Origin::simulated ||
                                          (origin == Origin::host && is_simulated[row.table] && !is_of_gpu[row.table]);
                               }),
                rows_.end());
    for (const RowOf row : rows_) tables_of_timer[timer.word(row)].insert(row.table);
    files_are_told_ = std::all_of(tables_of_timer.begin(), tables_of_timer.end(),
                                  [](const auto& one) { return one.second.size() == 1; });
    return all - rows_.size();
}

}  // namespace plot
