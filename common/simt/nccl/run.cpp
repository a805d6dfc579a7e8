// SPDX-License-Identifier: MIT
#include "common/simt/nccl/run.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "common/simt/nccl/buffers.hpp"
#include "common/simt/nccl/watch.hpp"
#include "common/simt/runtime/copy.hpp"

namespace simt::nccl {
namespace {

// One rank's part in a collective.
class Collective {
public:
    Collective(const Call& call, uint64_t number)
        : call_(call), clique_(*call.communicator->clique), number_(number), size_(call.element()) {}

    Outcome run() {
        if (const Outcome outcome = meet_with_same_call(); outcome != Outcome::done) return outcome;
        announce(call_);
        const size_t piece = clique_.slot_bytes() / size_;
        for (size_t begin = 0; begin < length(); begin += piece) {
            const size_t count = std::min(piece, length() - begin);
            if (gives()) give(begin, count);
            if (const Outcome outcome = meet(); outcome != Outcome::done) return outcome;
            if (reduces()) {
                reduce_share(count);
                if (const Outcome outcome = meet(); outcome != Outcome::done) return outcome;
            }
            take(begin, count);
            // (After the last piece, the first meeting of the next collective does this.)
            const bool is_last = begin + count == length();
            if (is_last) break;
            if (const Outcome outcome = meet(); outcome != Outcome::done) return outcome;
        }
        return Outcome::done;
    }

private:
    int me() const { return clique_.rank(); }
    size_t ranks() const { return static_cast<size_t>(clique_.ranks()); }

    bool reduces() const {
        return call_.kind == Kind::all_reduce || call_.kind == Kind::reduce || call_.kind == Kind::reduce_scatter;
    }
    bool has_root() const { return call_.root >= 0; }
    bool is_root() const { return call_.root == me(); }
    bool gives() const { return (call_.kind != Kind::broadcast && call_.kind != Kind::scatter) || is_root(); }

    // How many elements a rank gives: one block, or one for each rank if each gets a different one.
    bool has_blocks() const {
        return call_.kind == Kind::reduce_scatter || call_.kind == Kind::all_to_all || call_.kind == Kind::scatter;
    }
    size_t length() const { return has_blocks() ? call_.count * ranks() : call_.count; }

    Outcome meet() {
        Watch watch(call_, number_, [&](int rank) { return !clique_.has_come(rank, clique_.mine().phase); });
        return clique_.meet([&](double seconds) { watch.look(seconds); });
    }

    // All ranks come to the same conclusion, because all make the same comparisons.
    Outcome meet_with_same_call() {
        RankState& state = clique_.mine();
        state.signature = call_.signature();
        if (const Outcome outcome = meet(); outcome != Outcome::done) return outcome;
        for (int rank = 1; rank < clique_.ranks(); ++rank) {
            if (clique_.state(rank).signature == clique_.state(0).signature) continue;
            clique_.break_off("collective " + std::to_string(number_) +
                              " of the communicator differs between ranks: rank 0 of " + std::to_string(ranks()) +
                              " called " + text_of(clique_.state(0).signature) + ", rank " + std::to_string(rank) +
                              " called " + text_of(clique_.state(rank).signature) + places_of(rank));
            return Outcome::broken;
        }
        return Outcome::done;
    }

    // Where the two calls were made, unless their hosts have gone on to other calls.
    std::string places_of(int rank) const {
        const char* const one = clique_.state(0).text;
        const char* const other = clique_.state(rank).text;
        return std::string("; their latest calls are ") + one + " and " + other;
    }

    static std::string text_of(const Signature& signature) {
        Call call{signature.kind};
        call.count = signature.count;
        call.type = static_cast<ncclDataType_t>(signature.type);
        call.how.operation = signature.operation;
        call.root = signature.root;
        return call.text_alone();
    }

    void give(size_t begin, size_t count) {
        char* const slot = clique_.slot(me());
        std::memcpy(slot, static_cast<const char*>(call_.send) + begin * size_, count * size_);
        if (reduces()) prepare(slot, count, call_.type, call_.how, clique_.ranks());
    }

    // Each rank reduces its share of the piece, into the slot of rank 0.
    void reduce_share(size_t count) {
        const size_t first = count * static_cast<size_t>(me()) / ranks();
        const size_t share = count * static_cast<size_t>(me() + 1) / ranks() - first;
        char* const sum = clique_.slot(0) + first * size_;
        for (int rank = 1; rank < clique_.ranks(); ++rank) {
            combine(sum, clique_.slot(rank) + first * size_, share, call_.type, call_.how);
        }
        finish(sum, share, call_.type, call_.how, clique_.ranks());
    }

    void take(size_t begin, size_t count) {
        switch (call_.kind) {
            case Kind::all_reduce: return copy_from(0, 0, count, begin);
            case Kind::reduce: return is_root() ? copy_from(0, 0, count, begin) : void();
            case Kind::broadcast: return copy_from(call_.root, 0, count, begin);
            case Kind::all_gather: return take_from_all(begin, count);
            case Kind::gather: return is_root() ? take_from_all(begin, count) : void();
            case Kind::reduce_scatter: return take_own_block(0, begin, count, 0);
            case Kind::scatter: return take_own_block(call_.root, begin, count, 0);
            default:
                for (int rank = 0; rank < clique_.ranks(); ++rank) {
                    take_own_block(rank, begin, count, static_cast<size_t>(rank) * call_.count);
                }
        }
    }

    void take_from_all(size_t begin, size_t count) {
        for (int rank = 0; rank < clique_.ranks(); ++rank) {
            copy_from(rank, 0, count, static_cast<size_t>(rank) * call_.count + begin);
        }
    }

    // Copies the part of the piece that is in this rank's block to its buffer, where the block begins at `base`.
    void take_own_block(int from, size_t begin, size_t count, size_t base) {
        const size_t block = static_cast<size_t>(me()) * call_.count;
        const size_t first = std::max(begin, block), last = std::min(begin + count, block + call_.count);
        if (first < last) copy_from(from, first - begin, last - first, base + first - block);
    }

    void copy_from(int rank, size_t at, size_t count, size_t to) {
        std::memcpy(static_cast<char*>(call_.receive) + to * size_, clique_.slot(rank) + at * size_, count * size_);
    }

    const Call& call_;
    Clique& clique_;
    const uint64_t number_;
    const size_t size_;
};

// A buffer may have been freed since the call.
std::string wrong_by_now(const std::vector<Call>& calls) {
    for (const Call& call : calls) {
        if (const auto wrong = wrong_with_buffers(call)) {
            return text_of_rank(call.communicator->rank(), call.communicator->ranks()) + ": " + call.text() + ": " +
                   *wrong + ", now that the stream has come to it";
        }
    }
    return "";
}

}  // namespace

void announce(const Call& call) {
    BlockCopy out, in;
    out.from = call.send;
    out.width = bytes_sent(call);
    in.to = call.receive;
    in.width = bytes_received(call);
    if (!out.empty()) events().copied(out, call.place.note);
    if (!in.empty()) events().copied(in, call.place.note);
}

int run(const std::vector<Call>& calls) {
    Communicator& communicator = *calls.front().communicator;
    Clique& clique = *communicator.clique;
    if (const std::string wrong = wrong_by_now(calls); !wrong.empty()) clique.break_off(wrong);
    Outcome outcome = clique.is_broken() ? Outcome::broken : Outcome::done;
    for (const Call& call : calls) {
        if (call.is_message() || outcome != Outcome::done) continue;
        const uint64_t number = ++communicator.collectives_begun;
        if (clique.mine().called < number) clique.mine().called = number;  // the graph has been launched again
        outcome = Collective(call, number).run();
    }
    if (outcome == Outcome::done) outcome = exchange(calls);
    if (outcome != Outcome::broken) return cudaSuccess;
    ncclResult_t none = ncclSuccess;
    communicator.asynchronous_error.compare_exchange_strong(none, ncclInvalidUsage);
    return fail_operation(clique.broken_text(), calls.front().place);
}

}  // namespace simt::nccl
