// SPDX-License-Identifier: MIT
// The option table of a program: a row has the spelling of an option, its help and the field that it sets. The command
// line parser, --help, the completion and the check of the manual pages all use the rows; a field's initial value is
// the option's default.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/io/text.hpp"
#include "common/measure/settings.hpp"

// Whether an option's argument names a file, and how it is used.
enum class FileUse { none, input, output };

// A default as it would be typed; "" for none. The simulator may have a different one.
struct DefaultText {
    std::string on_gpu, in_simulator;

    DefaultText(const char* everywhere) : DefaultText(std::string(everywhere)) {}
    DefaultText(const std::string& everywhere) : DefaultText(everywhere, everywhere) {}
    DefaultText(std::string on_gpu_, std::string in_simulator_)
        : on_gpu(std::move(on_gpu_)), in_simulator(std::move(in_simulator_)) {}

    // What --help shows: the default that applies comes first.
    std::string shown(bool simulated) const;
};

// Where --help shows an option: in this order, each group below a heading.
enum class OptionGroup { own, input, variants, measuring, output, checks, devices, general };

struct OptionRow {
    std::string flags;     // "-n,--size"
    std::string argument;  // "LIST"; "" for a flag; "[=LIST]" if it may be left out
    std::string help;
    DefaultText fallback;
    std::function<void(const std::string&)> take;  // sets the field; Failure(usage) for an invalid argument
    FileUse file = FileUse::none;
    OptionGroup group = OptionGroup::own;
    bool is_everyday = false;        // -h shows it, too
    bool is_for_benchmarks = false;  // it makes no sense where the program is a filter
    bool takes_all = false;          // each time that it is given counts; otherwise only the last

    // What a declaration may add.
    OptionRow& everyday() { return is_everyday = true, *this; }
    OptionRow& for_benchmarks() { return is_for_benchmarks = true, *this; }

    std::string long_name() const { return flags.size() == 2 ? flags : flags.substr(flags.find("--")); }
    bool has_optional_argument() const { return !argument.empty() && argument[0] == '['; }
};

// A word that an option accepts, and its value.
template <typename T>
struct Choice {
    const char* word;
    T value;
};

// "" for a value that has none.
template <typename T, std::size_t count>
const char* word_of(const Choice<T> (&choices)[count], const T& value) {
    for (const Choice<T>& one : choices)
        if (one.value == value) return one.word;
    return "";
}

template <typename T, std::size_t count>
std::vector<std::string> words_of(const Choice<T> (&choices)[count]) {
    std::vector<std::string> words;
    for (const Choice<T>& one : choices) words.push_back(one.word);
    return words;
}

// Sets a field to an argument's value. A setting per backend gets the same value for both.
template <typename T>
void set_field(T& field, const T& value) {
    field = value;
}
template <typename T>
void set_field(std::optional<T>& field, const T& value) {
    field = value;
}
template <typename T>
void set_field(PerBackend<T>& field, const T& value) {
    field = {value, value, true};
}

// The type of that value.
template <typename Field>
struct FieldValue {
    using Type = Field;
};
template <typename T>
struct FieldValue<std::optional<T>> {
    using Type = T;
};
template <typename T>
struct FieldValue<PerBackend<T>> {
    using Type = T;
};

// The default that --help shows; `show` turns a value into text.
template <typename T, typename Show>
DefaultText default_text(const T& field, Show show) {
    return {show(field)};
}
template <typename T, typename Show>
DefaultText default_text(const std::optional<T>& field, Show show) {
    return {field ? show(*field) : ""};
}
template <typename T, typename Show>
DefaultText default_text(const PerBackend<T>& field, Show show) {
    return {show(field.on_gpu), show(field.in_simulator)};
}

// Fields are set when the command line is parsed: until then they must not move.
class OptionTable {
public:
    using Group = OptionGroup;

    const std::vector<OptionRow>& rows() const { return rows_; }

    // The rows that follow belong to this group, until the next call.
    void begin(OptionGroup group) { group_ = group; }

    // Any row. It replaces an earlier one with the same long name, in its group, so that a program can redefine a
    // common option. This and the others return the row.
    OptionRow& add(OptionRow row);

    // A flag: sets the opposite of the default.
    OptionRow& flag(const char* flags, const char* help, bool& field);
    // A flag: sets this value.
    template <typename Field>
    OptionRow& flag(const char* flags, const char* help, Field& field, typename FieldValue<Field>::Type value) {
        return add({flags, "", help, "", [&field, value](const std::string&) { set_field(field, value); }});
    }

    // A whole number from smallest to largest, optionally with a suffix.
    template <typename Field>
    OptionRow& whole(const char* flags, const char* argument, const char* help, Field& field, std::size_t smallest,
                     std::size_t largest) {
        using T = typename FieldValue<Field>::Type;
        OptionRow row{flags, argument, help, default_text(field, [](T value) { return std::to_string(value); }), {}};
        row.take = [&field, name = row.long_name(), smallest, largest](const std::string& word) {
            set_field(field, static_cast<T>(whole_number(word, name, smallest, largest)));
        };
        return add(std::move(row));
    }

    // A number from smallest to largest. A default of 0 or less is not shown.
    OptionRow& number(const char* flags, const char* argument, const char* help, double& field, double smallest,
                      double largest);

    OptionRow& text(const char* flags, const char* argument, const char* help, std::string& field);

    // Each time that it is given adds a text.
    OptionRow& texts(const char* flags, const char* argument, const char* help, std::vector<std::string>& field) {
        OptionRow row{flags, argument, help, "", [&field](const std::string& word) { field.push_back(word); }};
        row.takes_all = true;
        return add(std::move(row));
    }

    // The name of a file; "-" is standard input or output. No file may be both input and output.
    OptionRow& input_file(const char* flags, const char* argument, const char* help, std::string& field);
    // Several, one each time that the option is given.
    OptionRow& input_files(const char* flags, const char* argument, const char* help, std::vector<std::string>& field);
    OptionRow& output_file(const char* flags, const char* argument, const char* help, std::string& field);

    // A comma-separated list of words.
    OptionRow& list(const char* flags, const char* argument, const char* help, std::vector<std::string>& field);

    // The value that parse(argument) returns.
    template <typename Field, typename Parse>
    OptionRow& read(const char* flags, const char* argument, const std::string& help, const DefaultText& fallback,
                    Field& field, Parse parse) {
        return add({flags, argument, help, fallback,
                    [&field, parse](const std::string& word) { set_field(field, parse(word)); }});
    }

    // One of a few words, which --help shows before `help`.
    template <typename Field, std::size_t count>
    OptionRow& choice(const char* flags, const char* argument, const char* help, Field& field,
                      const Choice<typename FieldValue<Field>::Type> (&choices)[count]) {
        using T = typename FieldValue<Field>::Type;
        const auto word = [&choices](const T& value) -> std::string { return word_of(choices, value); };
        OptionRow row{flags, argument, words_and_help(words_of(choices), help), default_text(field, word), {}};
        row.take = [&field, values = std::vector<Choice<T>>(choices, choices + count), words = words_of(choices),
                    name = row.long_name()](const std::string& word) {
            set_field(field, values[index_of(word, words, name)].value);
        };
        return add(std::move(row));
    }

    // A comma-separated list of them; all, if it may be left out and is.
    template <typename T, std::size_t count>
    OptionRow& choices(const char* flags, const char* argument, const char* help, std::vector<T>& field,
                       const Choice<T> (&choices)[count]) {
        std::string fallback;
        for (const T& value : field) fallback += (fallback.empty() ? "" : ",") + std::string(word_of(choices, value));
        OptionRow row{flags, argument, words_and_help(words_of(choices), help), fallback, {}};
        row.take = [&field, values = std::vector<Choice<T>>(choices, choices + count), words = words_of(choices),
                    name = row.long_name()](const std::string& list) {
            field.clear();
            for (const std::string& word : list.empty() ? words : split(list, ','))
                field.push_back(values[index_of(word, words, name)].value);
        };
        return add(std::move(row));
    }

    // "a, b or c: HELP", from which the completion takes the words.
    static std::string words_and_help(const std::vector<std::string>& words, const std::string& help);

private:
    static std::size_t whole_number(const std::string& word, const std::string& option, std::size_t smallest,
                                    std::size_t largest);
    static std::size_t index_of(const std::string& word, const std::vector<std::string>& words,
                                const std::string& option);

    std::vector<OptionRow> rows_;
    OptionGroup group_ = OptionGroup::own;
};
