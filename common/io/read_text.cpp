// Numbers as text, separated by white space or commas.
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "common/io/readers.hpp"

namespace {

class TextReader final : public NumberReader {
public:
    explicit TextReader(std::unique_ptr<InputFile> file) : file_(std::move(file)) {
        constexpr std::string_view utf8_mark = "\xef\xbb\xbf", utf16_mark = "\xff\xfe", utf16_big_mark = "\xfe\xff";
        if (file_->peek(2) == utf16_mark || file_->peek(2) == utf16_big_mark)
            file_->fail("is text in UTF-16; convert it with iconv -f UTF-16 -t UTF-8");
        char mark[3];
        if (file_->peek(3) == utf8_mark) file_->read(mark, 3);  // Windows' editors write it
    }

    const NumberLayout& layout() const override { return layout_; }

    Chunk read(std::size_t most) override {
        Chunk chunk;
        chunk.dtype = layout_.dtype;
        chunk.bytes.resize(0);
        while (chunk.count < most) {
            std::string_view token;
            if (!next_token(token)) break;
            append(chunk, token);
        }
        if (chunk.count == 0 && !any_) file_->fail("no numbers in the input ({} bytes)", file_->offset());
        return chunk;
    }

private:
    static bool is_separator(char c) {
        return c == ' ' || c == '\n' || c == ',' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
    }

    // The next run of characters that are not separators; false at the end of the input.
    bool next_token(std::string_view& token) {
        for (;;) {
            for (; position_ < buffer_.size() && is_separator(buffer_[position_]); ++position_)
                pass(buffer_[position_]);
            std::size_t end = position_;
            while (end < buffer_.size() && !is_separator(buffer_[end])) ++end;
            // A token that touches the end of the buffer may go on in the next block.
            if (end < buffer_.size() || (at_end_ && end > position_)) {
                token = std::string_view(buffer_).substr(position_, end - position_);
                position_ = end;
                comma_may_follow_ = true;
                return true;
            }
            if (at_end_) {
                end_line();
                return false;
            }
            refill();
        }
    }

    void pass(char separator) {
        if (separator == '\n') end_line();
        if (separator != ',') return;
        if (!comma_may_follow_) file_->fail("line {}: there is no number before a comma", line_);
        comma_may_follow_ = false;
    }

    // Lines of a matrix have as many numbers each; empty ones do not count.
    void end_line() {
        ++line_;
        if (numbers_in_line_ == 0) return;
        if (lines_ > 0 && numbers_in_line_ != layout_.columns) lines_differ_ = true;
        layout_.columns = lines_differ_ ? 0 : numbers_in_line_;
        numbers_in_line_ = 0;
        ++lines_;
    }

    void refill() {
        constexpr std::size_t block = std::size_t{1} << 20;
        buffer_.erase(0, position_);
        position_ = 0;
        if (buffer_.size() > block) file_->fail("line {}: a word of more than {} bytes is not a number", line_, block);
        const std::size_t kept = buffer_.size();
        buffer_.resize(kept + block);
        const std::size_t got = file_->read(buffer_.data() + kept, block);
        buffer_.resize(kept + got);
        at_end_ = got < block;
    }

    void append(Chunk& chunk, std::string_view token) {
        // from_chars knows no plus sign: drop one, unless another sign follows.
        const bool plus = token[0] == '+' && token.substr(0, 2) != "+-";
        const std::string_view digits = token.substr(plus);
        const char* end = digits.data() + digits.size();
        any_ = true;
        ++numbers_in_line_;
        if (chunk.dtype == DType::i64) {
            std::int64_t integer = 0;
            const auto [stop, error] = std::from_chars(digits.data(), end, integer);
            if (error == std::errc{} && stop == end) return push(chunk, integer);
            chunk = chunk.converted_to(DType::f64);  // from here on the numbers have fractions
            layout_.dtype = DType::f64;
        }
        push(chunk, fraction(token, digits));
    }

    // The nearest f64, which is 0 for a number that is too small.
    double fraction(std::string_view token, std::string_view digits) const {
        double number = 0;
        const char* end = digits.data() + digits.size();
        const auto [stop, error] = std::from_chars(digits.data(), end, number);
        // (It takes C's "nan(1)" for a number.)
        if (stop != end || error == std::errc::invalid_argument || end[-1] == ')')
            file_->fail("line {}: '{}' is not a number", line_, printable(token, 40));
        if (error == std::errc::result_out_of_range) number = std::strtod(std::string(digits).c_str(), nullptr);
        if (error == std::errc::result_out_of_range && std::isinf(number))
            file_->fail("line {}: '{}' is outside the range of f64", line_, printable(token, 40));
        return number;
    }

    template <typename T>
    void push(Chunk& chunk, T value) {
        const std::size_t used = chunk.count * sizeof(T);
        if (used == chunk.bytes.size()) chunk.bytes.resize(std::max<std::size_t>(2 * used, 4096));
        std::memcpy(chunk.bytes.data() + used, &value, sizeof value);
        ++chunk.count;
    }

    std::unique_ptr<InputFile> file_;
    NumberLayout layout_;
    std::string buffer_;
    std::size_t position_ = 0;
    std::size_t line_ = 1;
    std::size_t lines_ = 0, numbers_in_line_ = 0;  // lines that have numbers; in the current one
    bool lines_differ_ = false;
    bool at_end_ = false, any_ = false;
    bool comma_may_follow_ = false;  // a number came since the last comma
};

}  // namespace

std::unique_ptr<NumberReader> open_text(std::unique_ptr<InputFile> file) {
    return std::make_unique<TextReader>(std::move(file));
}
