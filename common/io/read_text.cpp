// Numbers as text, separated by white space or commas.
#include <charconv>
#include <cstring>

#include "common/io/readers.hpp"

namespace {

class TextReader final : public NumberReader {
public:
    explicit TextReader(std::unique_ptr<InputFile> file) : file_(std::move(file)) {}

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
                line_ += buffer_[position_] == '\n';
            std::size_t end = position_;
            while (end < buffer_.size() && !is_separator(buffer_[end])) ++end;
            // A token that touches the end of the buffer may go on in the next block.
            if (end < buffer_.size() || (at_end_ && end > position_)) {
                token = std::string_view(buffer_).substr(position_, end - position_);
                position_ = end;
                return true;
            }
            if (at_end_) return false;
            refill();
        }
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
        if (chunk.dtype == DType::i64) {
            std::int64_t integer = 0;
            const auto [stop, error] = std::from_chars(digits.data(), end, integer);
            if (error == std::errc{} && stop == end) return push(chunk, integer);
            chunk = chunk.converted_to(DType::f64);  // from here on the numbers have fractions
            layout_.dtype = DType::f64;
        }
        double number = 0;
        const auto [stop, error] = std::from_chars(digits.data(), end, number);
        if (stop != end || error == std::errc::invalid_argument)
            file_->fail("line {}: '{}' is not a number", line_, printable(token, 40));
        if (error == std::errc::result_out_of_range)
            file_->fail("line {}: '{}' is outside the range of f64", line_, printable(token, 40));
        push(chunk, number);
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
    bool at_end_ = false, any_ = false;
};

}  // namespace

std::unique_ptr<NumberReader> open_text(std::unique_ptr<InputFile> file) {
    return std::make_unique<TextReader>(std::move(file));
}
