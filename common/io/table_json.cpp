// SPDX-License-Identifier: MIT
// Parses a line of JSON Lines into cells. What our programs write, flat objects with plain strings, numbers and lists
// of numbers, is parsed here, so that a million rows take no more than a second or two; nlohmann's parser reads the
// rest, and reports what is wrong with a line.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/io/decimal.hpp"
#include "common/io/table_reader.hpp"
#include "common/io/text.hpp"

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// Reads a flat object; gives up on anything else.
class FlatObject {
public:
    FlatObject(std::string_view line, TableBuilder& builder, std::vector<JsonMember>& last)
        : at_(line.data()), end_(line.data() + line.size()), builder_(builder), last_(last) {}

    bool read() {
        if (!take('{')) return false;
        if (take('}')) return is_at_end();
        for (std::size_t position = 0;; ++position) {
            if (!take_member(position)) return false;
            if (take('}')) return is_at_end();
            if (!take(',')) return false;
        }
    }

private:
    void skip_blanks() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
    }
    bool is_at_end() {
        skip_blanks();
        return at_ == end_;
    }
    bool take(char wanted) {
        skip_blanks();
        if (at_ == end_ || *at_ != wanted) return false;
        ++at_;
        return true;
    }
    bool take_word(std::string_view word) {
        if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }
    bool take_string(std::string_view& text) {
        if (!take('"')) return false;
        const char* const begin = at_;
        for (; at_ < end_ && *at_ != '"'; ++at_)
            if (*at_ == '\\' || static_cast<unsigned char>(*at_) < ' ') return false;
        if (at_ == end_) return false;
        text = std::string_view(begin, static_cast<std::size_t>(at_++ - begin));
        return true;
    }
    std::size_t take_digits(std::uint64_t& number) {
        const char* const begin = at_;
        for (; at_ < end_ && *at_ >= '0' && *at_ <= '9'; ++at_)
            number = 10 * number + static_cast<std::uint64_t>(*at_ - '0');
        return static_cast<std::size_t>(at_ - begin);
    }
    // A number as JSON writes it: 1, -1.5e3, but not .5, 1., 01 or inf.
    bool take_number(double& number) {
        skip_blanks();
        const char* const begin = at_;
        const bool is_negative = at_ < end_ && *at_ == '-';
        at_ += is_negative;
        const char* const first = at_;
        std::uint64_t digits = 0;
        const std::size_t whole = take_digits(digits);
        if (whole == 0 || (whole > 1 && *first == '0')) return false;
        std::size_t fraction = 0;
        if (at_ < end_ && *at_ == '.') {
            ++at_;
            fraction = take_digits(digits);
            if (fraction == 0) return false;
        }
        constexpr std::size_t most_digits = 19;  // in 64 bits
        const bool has_exponent = at_ < end_ && (*at_ | ' ') == 'e';
        if (whole + fraction <= most_digits && !has_exponent &&
            scale_decimal(digits, -static_cast<int>(fraction), number)) {
            if (is_negative) number = -number;
            return true;
        }
        const auto [stopped, error] = real_from_chars(begin, end_, number);
        if (error != std::errc() || stopped < at_) return false;
        at_ = stopped;
        return true;
    }
    bool take_list(TableColumn* column) {
        list_.clear();
        if (!take(']')) {
            do {
                double number = no_number;
                skip_blanks();
                if (!take_word("null") && !take_number(number)) return false;
                if (builder_.keeps_lists()) list_.push_back(number);
            } while (take(','));
            if (!take(']')) return false;
        }
        if (column && builder_.keeps_lists()) column->add_list(list_);
        return true;
    }
    bool take_value(TableColumn* column) {
        skip_blanks();
        if (at_ == end_) return false;
        std::string_view text;
        if (*at_ == '"') {
            if (!take_string(text)) return false;
        } else if (take('[')) {
            return take_list(column);
        } else if (take_word("null")) {
            if (column) column->add_empty();
            return true;
        } else if (take_word("true")) {
            text = "true";
        } else if (take_word("false")) {
            text = "false";
        } else {
            double number = 0;
            if (!take_number(number)) return false;
            if (column) column->add_number(number);
            return true;
        }
        if (column) column->add_text(text);
        return true;
    }
    // Most lines have the columns of the previous line, in its order, and many of its values.
    bool take_member(std::size_t position) {
        if (position == last_.size()) last_.emplace_back();
        if (position > last_.size()) return false;
        JsonMember& member = last_[position];
        const char* const begin = at_;
        const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
        const bool is_whole = member.text.size() > member.key_length;
        if (is_whole && rest.size() > member.text.size() && rest.substr(0, member.text.size()) == member.text &&
            (rest[member.text.size()] == ',' || rest[member.text.size()] == '}')) {
            at_ += member.text.size();
            if (TableColumn* const column = builder_.open(member.column)) column->add_as_in(member.row);
            member.changes = 0;
            return true;
        }
        const std::string_view known_key(member.text.data(), member.key_length);
        if (member.key_length > 0 && rest.substr(0, member.key_length) == known_key) {
            at_ += member.key_length;
        } else {
            std::string_view key;
            if (!take_string(key) || !take(':')) return false;
            skip_blanks();
            member.column = builder_.index_of(key);
            member.text.assign(begin, at_);
            member.key_length = member.text.size();
            member.changes = 0;
        }
        TableColumn* const column = builder_.open(member.column);
        skip_blanks();
        const char* const value = at_;
        if (!take_value(column)) return false;
        // Values that change from line to line are not worth remembering, but may settle later. No two lists are equal.
        constexpr std::size_t restless = 8;
        member.text.resize(member.key_length);
        if (column && *value != '[' && value == begin + member.key_length && ++member.changes % 256 < restless) {
            member.text.append(value, at_);
            member.row = builder_.row();
        }
        return true;
    }

    const char* at_;
    const char* const end_;
    TableBuilder& builder_;
    std::vector<JsonMember>& last_;
    std::vector<double> list_;
};

void add_members(const nlohmann::json& object, const std::string& prefix, TableBuilder& builder) {
    for (const auto& [key, value] : object.items()) {
        if (value.is_object()) {
            add_members(value, prefix + key + ".", builder);
            continue;
        }
        std::vector<double> numbers;
        bool is_list = value.is_array();
        if (is_list)
            for (const nlohmann::json& one : value) {
                is_list &= one.is_number() || one.is_null();
                numbers.push_back(one.is_number() ? one.get<double>() : no_number);
            }
        if (value.is_array() && !(is_list && builder.keeps_lists())) continue;
        TableColumn* const column = builder.open(builder.index_of(prefix + key));
        if (!column) continue;
        if (is_list) column->add_list(numbers);
        else if (value.is_number()) column->add_number(value.get<double>());
        else if (value.is_null()) column->add_empty();
        else column->add_text(value.is_string() ? value.get_ref<const std::string&>() : value.dump());
    }
}

// "[json.exception.parse_error.101] parse error at line 1, column 9: ... - unexpected ','; expected ..." without its beginning.
std::string words_of(const nlohmann::json::parse_error& error) {
    std::string words = error.what();
    const std::size_t reason = words.find(": ");
    return text("is not JSON, at byte {}: {}", error.byte, reason == words.npos ? words : words.substr(reason + 2));
}

}  // namespace

std::string add_trace(const std::string& text, TableBuilder& builder) {
    struct Event {
        std::pair<std::size_t, std::size_t> lane;
        const nlohmann::json* json;
    };
    using Number = std::pair<std::string, std::string>;  // process and thread; "" for the process itself
    try {
        const nlohmann::json trace = nlohmann::json::parse(text);
        if (!trace.is_object() || !trace.contains("traceEvents") || !trace["traceEvents"].is_array())
            return "is one JSON document over several lines: expected an object per line, which jq -c . writes";
        std::map<Number, std::pair<std::size_t, std::string>> lanes;  // the index and name of each
        const auto lane_of = [&](const nlohmann::json& event, const char* thread) {
            const Number number = {event.value("pid", nlohmann::json()).dump(),
                                   thread ? event.value(thread, nlohmann::json()).dump() : ""};
            return lanes.try_emplace(number, lanes.size(), thread ? number.second : number.first).first;
        };
        std::vector<Event> events;
        for (const nlohmann::json& event : trace["traceEvents"]) {
            const std::string phase = event.value("ph", "");
            const bool of_process = phase == "M" && event.value("name", "") == "process_name";
            if (of_process || (phase == "M" && event.value("name", "") == "thread_name"))
                lane_of(event, of_process ? nullptr : "tid")->second.second = event.at("args").value("name", "");
            if (phase == "X")
                events.push_back(
                    {{lane_of(event, nullptr)->second.first, lane_of(event, "tid")->second.first}, &event});
        }
        std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.lane < b.lane; });
        for (const Event& event : events) {
            const nlohmann::json& json = *event.json;
            const double begin = 1e3 * json.at("ts").get<double>();
            builder.begin_row(1);
            builder.open(builder.index_of("timeline"))->add_text(lane_of(json, nullptr)->second.second);
            builder.open(builder.index_of("lane"))->add_text(lane_of(json, "tid")->second.second);
            builder.open(builder.index_of("name"))->add_text(json.value("name", ""));
            builder.open(builder.index_of("category"))->add_text(json.value("cat", ""));
            builder.open(builder.index_of("begin_ns"))->add_number(begin);
            builder.open(builder.index_of("end_ns"))->add_number(begin + 1e3 * json.value("dur", 0.0));
            builder.end_row();
        }
        return events.empty() ? "is a trace without complete events (\"ph\":\"X\")" : "";
    } catch (const nlohmann::json::parse_error& error) {
        return words_of(error);
    } catch (const nlohmann::json::exception& error) {
        return "is a trace with an invalid event: " + printable(error.what(), 200);
    }
}

std::string add_json_row(std::string_view line, TableBuilder& builder, std::vector<JsonMember>& last) {
    if (FlatObject(line, builder, last).read()) return "";
    try {
        const nlohmann::json object = nlohmann::json::parse(line);
        if (!object.is_object()) return "is not a JSON object: expected one per line";
        add_members(object, "", builder);
    } catch (const nlohmann::json::parse_error& error) {
        return words_of(error);
    } catch (const nlohmann::json::out_of_range&) {
        return "has a number that is too large for a double";
    }
    return "";
}
