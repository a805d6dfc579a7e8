// SPDX-License-Identifier: MIT
// Tests the readers of numbers, with several threads that read parts of an input, and the pipeline that does so. Prints
// each broken promise and exits 1; tests/files.bats compiles and runs it in its own folder.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/io/number_reader.hpp"
#include "common/io/parse_text.hpp"
#include "common/io/pipeline.hpp"
#include "common/io/readers.hpp"

static int broken = 0;

static void promise(bool kept, const std::string& what) {
    if (!kept) std::printf("broken: %s\n", what.c_str()), ++broken;
}

// ---- the pipeline

static void parts_are_finished_in_order() {
    for (unsigned threads : {1U, 2U, 7U}) {
        const PipelineShape shape{threads, 2};
        std::vector<int> parts(shape.slots(), -1);
        std::atomic<int> in_work = 0;
        int next = 0;
        std::vector<int> finished;
        const auto take = [&](std::size_t slot) {
            if (next == 500) return false;
            promise(parts[slot] == -1, "a slot is free before it is used again");
            parts[slot] = next++;
            return true;
        };
        const auto work = [&](std::size_t slot) {
            ++in_work;
            if (parts[slot] % 3 == 0) std::this_thread::yield();
            --in_work;
        };
        const auto finish = [&](std::size_t slot) { finished.push_back(std::exchange(parts[slot], -1)); };
        run_pipeline(shape, {take, work, finish});
        bool in_order = finished.size() == 500;
        for (std::size_t i = 0; in_order && i < finished.size(); ++i) in_order = finished[i] == static_cast<int>(i);
        promise(in_order, "all parts are finished, in order");
    }
}

// The failure of the earliest part counts, after all parts before it.
static void the_first_failure_counts() {
    for (int stage = 0; stage < 3; ++stage) {
        for (int round = 0; round < 20; ++round) {
            const PipelineShape shape{4, 1};
            std::vector<int> parts(shape.slots());
            int next = 0, finished = 0;
            std::string said;
            const auto fail_from = [&](int of, int part) {
                if (stage == of && part >= 10) throw std::runtime_error(std::to_string(part));
            };
            try {
                run_pipeline(shape, {[&](std::size_t slot) {
                                         fail_from(0, next);
                                         parts[slot] = next++;
                                         return next <= 40;
                                     },
                                     [&](std::size_t slot) { fail_from(1, parts[slot]); },
                                     [&](std::size_t slot) {
                                         fail_from(2, parts[slot]);
                                         ++finished;
                                     }});
            } catch (const std::runtime_error& failure) {
                said = failure.what();
            }
            promise(said == "10" && finished == 10, "part 10 fails, after ten: " + said);
        }
    }
}

// ---- text

// result.word points into a text that lives until the next call.
static std::vector<double> parsed(const std::string& words, ParsedText& result) {
    static std::string text;
    text.assign(text_margin, 'x');
    text += words;
    text.resize(text.size() + text_margin);
    std::vector<std::uint64_t> values(words.size() / 2 + 1), others = values;
    char* const begin = text.data() + text_margin;
    result = parse_text(begin, begin + words.size(), values.data());
    const ParsedText anywhere = parse_text_anywhere(begin, begin + words.size(), others.data());
    promise(anywhere.count == result.count && anywhere.integers == result.integers && anywhere.fault == result.fault &&
                anywhere.word == result.word && anywhere.lost == result.lost &&
                anywhere.negative_zeros == result.negative_zeros &&
                std::equal(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(result.count), others.begin()),
            "text is the same numbers on any processor");
    std::vector<double> numbers;
    for (std::size_t i = 0; i < result.count; ++i)
        numbers.push_back(i < result.integers ? static_cast<double>(static_cast<std::int64_t>(values[i]))
                                              : std::bit_cast<double>(values[i]));
    return numbers;
}

static std::string any_number(std::mt19937_64& random) {
    char word[64];
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    const int digits = static_cast<int>(random() % 19);
    switch (random() % 9) {
        case 0: return std::to_string(static_cast<std::int64_t>(random()) >> random() % 64);
        case 1: return (random() % 2 ? "+" : "-") + std::to_string(random() >> (1 + random() % 63));
        case 2: std::snprintf(word, sizeof word, "%.*f", digits, unit); break;
        case 3: std::snprintf(word, sizeof word, "%.*f", digits, -1e6 * unit); break;
        case 4:
            std::snprintf(word, sizeof word, "%.*g", digits, std::ldexp(unit, static_cast<int>(random() % 200) - 100));
            break;
        case 5:
            std::snprintf(word, sizeof word, random() % 2 ? "%.*e" : "%+.*E", digits,
                          std::ldexp(unit, static_cast<int>(random() % 240) - 120));
            break;
        case 6: {
            const double bits = std::bit_cast<double>(std::uint64_t{random()});
            std::snprintf(word, sizeof word, "%.17g", std::isfinite(bits) ? bits : 1);
            break;
        }
        // Halfway between two doubles, or close to it.
        case 7:
            std::snprintf(word, sizeof word, "%llu.5", static_cast<unsigned long long>((random() >> 11) | 1ULL << 52));
            break;
        default:
            std::snprintf(word, sizeof word, "%09llu.%05llu", static_cast<unsigned long long>(random() % 1000),
                          static_cast<unsigned long long>(random() % 100000));
    }
    return word;
}

static bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

static std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

static void numbers_are_rounded_rightly() {
    std::mt19937_64 random(1);
    for (int round = 0; round < 300; ++round) {
        // The first is no integer, so all are doubles, including -0.
        std::string text = "0.5";
        std::vector<double> expected = {0.5};
        std::vector<std::string> words = {"0.5"};
        for (int i = 0; i < 300; ++i) {
            words.push_back(any_number(random));
            expected.push_back(std::strtod(words.back().c_str(), nullptr));
            text += std::string(1 + random() % 3 % 2, " \n\t,"[random() % 3]) + words.back();
        }
        ParsedText result;
        const std::vector<double> numbers = parsed(text, result);
        promise(numbers.size() == expected.size(), "there are as many numbers as words");
        for (std::size_t i = 0; i < std::min(numbers.size(), expected.size()); ++i)
            if (!same(numbers[i], expected[i])) promise(false, "'" + words[i] + "' is the nearest double");
        // One more, invalid word, at every place in a group of 64.
        static const std::vector<std::string> wrong = words_of(
            "1.2.3 x --1 1e 0x1 1_0 +-1 . - + 1e5e 12345678.x 12345678.12345x 12345.x7890123 1.23456.7e+10 "
            "1.5e+0x 1.5e+ .e+03 -.e-05 1.5Ee+03 1.5e+-3 12345678.\xb1 \xff"
            "2345.678901 1.5e+\xb1\x32");
        const std::string word = wrong[random() % std::size(wrong)];
        parsed(text + "\n" + word + " 7", result);
        promise(result.fault == ParsedText::Fault::not_a_number && result.word == word, "'" + word + "' is no number");
    }
}

static void fractions_are_nearest() {
    for (const char* word :
         {".123456789012345", "12345678.1234567", "1700000000.123", "99999999999999.9", "-.5e-03", "5.e+03",
          "9.007199254740993e+15", "9.007199254740995e+15", "1.8014398509481983e+16", "-0.0e-30", "1.5E-05"}) {
        ParsedText result;
        const std::vector<double> numbers = parsed(word, result);
        promise(numbers.size() == 1 && same(numbers[0], std::strtod(word, nullptr)), std::string(word) + " is nearest");
    }
}

static void integers_are_exact() {
    for (const char* word :
         {"9223372036854775807", "-9223372036854775808", "+9007199254740993", "000000000000000000000012",
          "-000000000000000009223372036854775808", "1234567890123456789", "-0"}) {
        std::string text(text_margin, ' ');
        text += word;
        text.resize(text.size() + text_margin);
        std::vector<std::uint64_t> value(40);
        const std::size_t length = std::strlen(word);
        const ParsedText result =
            parse_text(text.data() + text_margin, text.data() + text_margin + length, value.data());
        std::int64_t expected = 0;
        std::from_chars(word + (*word == '+'), word + length, expected);
        promise(result.integers == 1 && static_cast<std::int64_t>(value[0]) == expected,
                std::string(word) + " is exact");
    }
    ParsedText result;
    promise(parsed("9223372036854775808", result)[0] == 0x1p63 && result.integers == 0, "2^63 is a double");
    promise(parsed("1e999", result).empty() && result.fault == ParsedText::Fault::out_of_range, "1e999 is too large");
}

// ---- files that change

static std::string failure_of(NumberReader& reader, std::size_t most) {
    Slot slot;
    try {
        while (reader.take(slot, most, Cut::anywhere)) {
            reader.read(slot);
            reader.settle(slot);
        }
    } catch (const Failure& failure) {
        return failure.exit() == Exit::bad_input ? failure.what() : "another exit";
    }
    return "";
}

static void expect_refused(const std::string& said, const std::string& part) {
    promise(said.find(part) != said.npos, "a file that changes is refused: '" + said + "' has '" + part + "'");
}

static void files_that_change_are_refused() {
    const auto write = [](std::size_t bytes) { std::ofstream("data", std::ios::binary) << std::string(bytes, '1'); };
    const InputFormat raw{NumberFormat::raw, DType::f32}, as_text{NumberFormat::text, DType::i64};
    const auto reader_of = [&](const InputFormat& format) { return NumberReader::open("data", format); };
    write(4000000);
    auto reader = reader_of(raw);
    promise(truncate("data", 2000000) == 0, "a file can be truncated");
    expect_refused(failure_of(*reader, 1 << 18),
                   "data: was changed while it was read: it had 4000000 bytes and has 2000000");
    write(4000000);
    reader = reader_of(raw);
    std::ofstream("data", std::ios::binary | std::ios::app) << "more";
    expect_refused(failure_of(*reader, 1 << 18), "it had 4000000 bytes and has 4000004");
    // Text is read to its end: a change is an error there, too, whatever was read in between.
    for (const char* change : {"shorter", "longer"}) {
        std::ofstream lines("data");
        for (int i = 0; i < 400000; ++i) lines << i << '\n';
        lines.close();
        reader = reader_of(as_text);
        Slot slot;
        promise(reader->take(slot, 1, Cut::anywhere), "there is a first block");
        if (*change == 's') promise(truncate("data", 1000000) == 0, "a file can be truncated");
        else std::ofstream("data", std::ios::app) << "7\n";
        reader->read(slot);
        reader->settle(slot);
        expect_refused(failure_of(*reader, 1), "was changed while it was read");
    }
}

int main() {
    parts_are_finished_in_order();
    the_first_failure_counts();
    numbers_are_rounded_rightly();
    fractions_are_nearest();
    integers_are_exact();
    files_that_change_are_refused();
    return broken > 0;
}
