// SPDX-License-Identifier: MIT
// Numbers as text, separated by white space or commas.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/decimal.hpp"
#include "common/io/pipeline.hpp"
#include "common/io/readers.hpp"

namespace {

constexpr std::size_t usual_word = 64, longest_word = std::size_t{1} << 20;

// Widens the first n of these words from int64_t to double.
void widen_integers(std::uint64_t* words, std::size_t n, const std::vector<std::size_t>& negative_zeros) {
    for (std::size_t i = 0; i < n; ++i)
        words[i] = std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(words[i])));
    write_negative_zeros(negative_zeros, words, DType::f64);
}

// The sum of what widening takes from them.
std::int64_t lost_by_widening(const std::uint64_t* words, std::size_t n) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const bool is_negative = words[i] >> 63 != 0;
        const std::int64_t lost = lost_by_rounding(is_negative ? -words[i] : words[i]);
        sum += is_negative ? -lost : lost;
    }
    return sum;
}

class TextReader final : public NumberReader {
public:
    explicit TextReader(std::unique_ptr<InputFile> file) : file_(std::move(file)) {
        constexpr std::string_view utf8_mark = "\xef\xbb\xbf", utf16_mark = "\xff\xfe", utf16_big_mark = "\xfe\xff";
        if (file_->peek(2) == utf16_mark || file_->peek(2) == utf16_big_mark)
            file_->fail("is text in UTF-16; convert it with iconv -f UTF-16 -t UTF-8");
        char mark[3];
        if (file_->peek(3) == utf8_mark) file_->read(mark, 3);  // Windows' editors write it
        first_ = file_->offset();
    }

    const NumberLayout& layout() const override { return layout_; }

    bool take(Slot& slot, std::size_t most, Cut cut) override {
        slot.is_ready = cut == Cut::exactly;
        return slot.is_ready
                   ? take_numbers(slot, most)
                   : take_block(slot, most < elements_of_large_piece ? text_block_bytes : large_text_block_bytes);
    }

    // A block with a fraction is f64 as a whole.
    void read(Slot& slot) const override {
        if (slot.is_ready) return;
        read_and_parse(slot);
        const ParsedText& parsed = slot.parsed;
        const bool is_floating = parsed.integers < parsed.count;
        auto* const words = slot.piece.as<std::uint64_t>();
        slot.negative_zeros = parsed.negative_zeros;
        slot.lost = parsed.lost;
        if (!is_floating) return;
        slot.lost += lost_by_widening(words, parsed.integers);
        widen_integers(words, parsed.integers, slot.negative_zeros);
        slot.negative_zeros.clear();
        slot.piece.dtype = DType::f64;
    }

    void settle(const Slot& slot) override {
        if (slot.is_ready) return;
        settle_block(slot);
        if (slot.piece.dtype == DType::f64) layout_.dtype = DType::f64;
    }

private:
    // Blocks begin at the same places whatever the input is: at the word in which a multiple of `bytes` lies. Of a
    // file, a block is only claimed here, and read beside others.
    bool take_block(Slot& slot, std::size_t bytes) {
        if (is_at_end_) return false;
        slot.is_in_file = file_->size() >= 0;
        if (!slot.is_in_file) return take_in_order(slot, bytes);
        slot.offset = file_->offset();
        const std::size_t left = static_cast<std::size_t>(file_->size()) - slot.offset;
        slot.count = std::min(left, bytes);
        is_at_end_ = slot.is_last = left < bytes;
        file_->claim(slot.count);
        return true;
    }

    // Reads on and takes all up to the last separator. The word after it may continue in the next block, and begins
    // that one.
    bool take_in_order(Slot& slot, std::size_t block) {
        for (;;) {
            auto* const text =
                reinterpret_cast<char*>(slot.stored.reserve(2 * text_margin + carried_.size() + block)) + text_margin;
            carried_.copy(text, carried_.size());
            const std::size_t got = file_->read(text + carried_.size(), block);
            is_at_end_ = got < block;
            const std::size_t bytes = carried_.size() + got;
            std::size_t end = bytes;
            while (!is_at_end_ && end > 0 && !is_separator(text[end - 1])) --end;
            carried_.assign(text + end, bytes - end);
            if (end == 0 && !is_at_end_ && bytes <= longest_word) continue;
            slot.text = text;
            slot.text_end = text + (end > 0 || is_at_end_ ? end : bytes);
            slot.is_last = is_at_end_;
            return true;
        }
    }

    // Reads a claimed block, and what lies before it of the word that it begins in.
    void read_claimed(Slot& slot) const {
        const std::size_t before = slot.offset - first_;
        for (std::size_t most_back = usual_word;; most_back *= usual_word) {
            const std::size_t back = std::min({before, most_back, longest_word + 1}), bytes = back + slot.count;
            char* const text = reinterpret_cast<char*>(slot.stored.reserve(2 * text_margin + bytes)) + text_margin;
            file_->read_at(text, back, slot.offset - back, false);
            file_->read_at(text + back, slot.count, slot.offset, most_back == usual_word);
            const auto begin_of_word = [text](char* at) {
                while (at > text && !is_separator(at[-1])) --at;
                return at;
            };
            slot.text = begin_of_word(text + back);
            const bool is_found = slot.text > text || back == before;
            if (!is_found && back <= longest_word) continue;
            slot.is_torn = !is_found;
            slot.text_end = text + bytes;
            if (!slot.is_last && is_found) slot.text_end = std::max(slot.text, begin_of_word(slot.text_end));
            return;
        }
    }

    // slot.piece.bytes are slot.parsed.count words.
    void read_and_parse(Slot& slot) const {
        slot.is_torn = false;
        if (slot.is_in_file) read_claimed(slot);
        const auto bytes = static_cast<std::size_t>(slot.text_end - slot.text);
        std::byte* const values = slot.values.reserve((bytes + 1) / 2 * sizeof(std::uint64_t));
        slot.parsed = parse_text(slot.text, slot.text_end, reinterpret_cast<std::uint64_t*>(values));
        slot.piece = {DType::i64, slot.parsed.count, values};
        const bool has_fault = slot.parsed.fault != ParsedText::Fault::none;
        const bool is_one_word = has_fault ? slot.parsed.word.size() > longest_word : slot.parsed.count == 1;
        if (bytes > longest_word && is_one_word && !is_separator(slot.text_end[-1]))
            slot.parsed.fault = ParsedText::Fault::too_long;
        if (slot.is_torn) slot.parsed.fault = ParsedText::Fault::too_long, slot.parsed.fault_line = 0;
    }

    void settle_block(const Slot& slot) {
        const ParsedText& parsed = slot.parsed;
        if (parsed.has_leading_comma && !comma_may_follow_) fail_comma(line_ + parsed.leading_comma_line);
        if (parsed.fault != ParsedText::Fault::none) fail(parsed);
        if (parsed.count > 0 || parsed.has_leading_comma) comma_may_follow_ = parsed.comma_may_follow;
        any_ |= parsed.count > 0;
        settle_lines(parsed);
        if (!slot.is_last) return;
        end_line();
        if (!any_) file_->fail("no numbers in the input ({} bytes)", file_->offset());
        file_->expect_same_size();
    }

    // All lines of a matrix have the same number of numbers; empty lines do not count.
    void settle_lines(const ParsedText& parsed) {
        numbers_in_line_ += parsed.in_first_line;
        if (parsed.line_ends > 0) end_line();
        numbers_in_line_ += parsed.in_line;
        if (parsed.in_line > 0) end_line();
        lines_differ_ |= parsed.lines_differ;
        if (lines_differ_) layout_.columns = 0;
        numbers_in_line_ += parsed.in_last_line;
        line_ += parsed.line_ends;
    }

    void end_line() {
        if (numbers_in_line_ == 0) return;
        if (has_lines_ && numbers_in_line_ != layout_.columns) lines_differ_ = true;
        layout_.columns = lines_differ_ ? 0 : numbers_in_line_;
        numbers_in_line_ = 0;
        has_lines_ = true;
    }

    [[noreturn]] void fail_comma(std::size_t line) const {
        file_->fail("line {}: there is no number before a comma", line);
    }

    [[noreturn]] void fail(const ParsedText& parsed) const {
        const std::size_t line = line_ + parsed.fault_line;
        const std::string word = printable(parsed.word, 40);
        switch (parsed.fault) {
            case ParsedText::Fault::comma: fail_comma(line);
            case ParsedText::Fault::out_of_range: file_->fail("line {}: '{}' is outside the range of f64", line, word);
            case ParsedText::Fault::too_long:
                file_->fail("line {}: a word of more than {} bytes is not a number", line, longest_word);
            default: file_->fail("line {}: '{}' is not a number", line, word);
        }
    }

    // ---- parts with an exact number of elements: blocks are parsed ahead, several at once

    bool take_numbers(Slot& slot, std::size_t most) {
        if (ahead_.size() - taken_ < most) parse_ahead(most);
        if (ahead_.size() - taken_ < most && failure_) std::rethrow_exception(failure_);
        const std::size_t count = std::min(most, ahead_.size() - taken_);
        const std::size_t integers = std::min(count, integers_ - std::min(integers_, taken_));
        const bool is_floating = layout_.dtype == DType::f64 || integers < count;
        slot.piece = {is_floating ? DType::f64 : DType::i64, count, slot.values.reserve(count * sizeof(std::uint64_t))};
        std::copy_n(ahead_.data() + taken_, count, slot.piece.as<std::uint64_t>());
        slot.negative_zeros.clear();
        const auto first = std::lower_bound(negative_zeros_.begin(), negative_zeros_.end(), taken_);
        for (auto place = first; place != negative_zeros_.end() && *place < taken_ + count; ++place)
            slot.negative_zeros.push_back(*place - taken_);
        if (is_floating) {
            widen_integers(slot.piece.as<std::uint64_t>(), integers, slot.negative_zeros);
            slot.negative_zeros.clear();
        }
        layout_.dtype = slot.piece.dtype;
        slot.count = count;
        taken_ += count;
        return count > 0;
    }

    // Parses until there are `most` numbers, or no more. Errors further on are reported when their turn comes.
    void parse_ahead(std::size_t most) {
        ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(taken_));
        integers_ -= std::min(integers_, taken_);
        negative_zeros_.erase(negative_zeros_.begin(),
                              std::lower_bound(negative_zeros_.begin(), negative_zeros_.end(), taken_));
        for (std::size_t& place : negative_zeros_) place -= taken_;
        taken_ = 0;
        PipelineShape shape;
        if (file_->size() >= 0 && static_cast<std::size_t>(file_->size()) <= text_block_bytes) shape.threads = 1;
        while (slots_.size() < shape.slots()) slots_.emplace_back();
        std::atomic<std::size_t> count = ahead_.size();
        const auto take = [&](std::size_t slot) { return count < most && take_block(slots_[slot], text_block_bytes); };
        const auto work = [&](std::size_t slot) { read_and_parse(slots_[slot]); };
        const auto finish = [&](std::size_t slot) {
            settle_block(slots_[slot]);
            append(slots_[slot]);
            count = ahead_.size();
        };
        try {
            if (!failure_) run_pipeline(shape, {take, work, finish});
        } catch (const Failure&) {
            failure_ = std::current_exception();
        }
    }

    // From the first number with a fraction on, all are doubles.
    void append(const Slot& slot) {
        auto* const words = slot.piece.as<std::uint64_t>();
        const bool has_fractions = integers_ < ahead_.size() || is_floating_;
        if (has_fractions) {
            widen_integers(words, slot.parsed.integers, slot.parsed.negative_zeros);
        } else {
            integers_ += slot.parsed.integers;
            for (const std::size_t place : slot.parsed.negative_zeros) negative_zeros_.push_back(ahead_.size() + place);
        }
        is_floating_ |= slot.parsed.integers < slot.parsed.count;
        ahead_.insert(ahead_.end(), words, words + slot.piece.count);
    }

    std::unique_ptr<InputFile> file_;
    std::size_t first_ = 0;  // bytes before the text
    NumberLayout layout_;
    std::string carried_;  // the beginning of a word that continues in the next block of a pipe
    bool is_at_end_ = false;

    std::size_t line_ = 1;
    std::size_t numbers_in_line_ = 0;
    bool has_lines_ = false, lines_differ_ = false;  // of lines that have numbers
    bool any_ = false, comma_may_follow_ = false;    // there was a number; one since the last comma

    std::vector<Slot> slots_;
    std::vector<std::uint64_t> ahead_;  // words: `integers_` of int64_t, then doubles
    std::size_t taken_ = 0, integers_ = 0;
    std::vector<std::size_t> negative_zeros_;  // their places among the integers, ascending
    bool is_floating_ = false;
    std::exception_ptr failure_;
};

}  // namespace

std::unique_ptr<NumberReader> open_text(std::unique_ptr<InputFile> file) {
    return std::make_unique<TextReader>(std::move(file));
}
