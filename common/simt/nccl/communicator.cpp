// SPDX-License-Identifier: MIT
#include "common/simt/nccl/communicator.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/simt/nccl/group.hpp"

namespace simt::nccl {

HandleTable<Communicator>& communicators() {
    static HandleTable<Communicator>& all = *new HandleTable<Communicator>;
    return all;
}

CommunicatorPointer find_communicator(ncclComm_t handle) {
    auto communicator = communicators().find(handle);
    if (!communicator) {
        throw Refusal{ncclInvalidArgument,
                      handle ? "the communicator has been destroyed, or never was one" : "the communicator is null"};
    }
    return communicator;
}

std::string text_of_rank(int rank, int ranks) {
    return "rank " + std::to_string(rank) + " of " + std::to_string(ranks);
}

Signature Call::signature() const {
    const bool is_receive = kind == Kind::receive;
    return {kind, type, how.operation, is_receive ? communicator->rank() : root, count};
}

std::string Call::text_alone() const {
    std::string text = std::string(name_of(kind)) + "(" + std::to_string(count) + " x " + name_of(type);
    if (kind == Kind::all_reduce || kind == Kind::reduce || kind == Kind::reduce_scatter) {
        text += std::string(", ") + name_of_operation(how.operation);
    }
    if (kind == Kind::send) text += ", to rank " + std::to_string(root);
    else if (kind == Kind::receive) text += ", from rank " + std::to_string(root);
    else if (root >= 0) text += ", root " + std::to_string(root);
    return text + ")";
}

std::string Call::text() const {
    const std::string where = text_of(place);
    return text_alone() + (where.empty() ? "" : " at " + where);
}

// ---- the functions of NCCL that make, query and destroy communicators

namespace {

ncclComm_t publish(std::unique_ptr<Clique> clique, int device) {
    auto communicator = std::make_shared<Communicator>(std::move(clique), device);
    return static_cast<ncclComm_t>(communicators().add(std::move(communicator)));
}

// A rank of a new communicator.
class Joining : public SetUp {
public:
    Joining(ncclComm_t* result, const ncclUniqueId& id, int ranks, int rank, int device)
        : result_(result), id_(id), ranks_(ranks), rank_(rank), device_(device) {}

    void step(int number) override {
        if (number == 2) clique_ = join(id_, ranks_, rank_, device_);
        if (number < 3) return;
        await_all(*clique_, id_);
        *result_ = publish(std::move(clique_), device_);
    }

private:
    ncclComm_t* const result_;
    const ncclUniqueId id_;
    const int ranks_, rank_, device_;
    std::unique_ptr<Clique> clique_;
};

// A rank's part in splitting a communicator: all ranks show their colors, and the first rank of each color makes an id.
class Splitting : public SetUp {
public:
    Splitting(CommunicatorPointer parent, int color, int key, ncclComm_t* result)
        : parent_(std::move(parent)), clique_(*parent_->clique), color_(color), key_(key), result_(result) {}

    void step(int number) override {
        if (number == 0) ask();
        if (number == 1) choose();
        if (number == 2) enter();
        if (number == 3) finish();
    }

private:
    void ask() {
        RankState& mine = clique_.mine();
        turn_ = mine.split_asked + 1;
        // By then, all ranks have read the results of the previous split.
        await([this](const RankState& state) { return state.split_done + 1 >= turn_; });
        mine.color = color_;
        mine.key = key_;
        mine.split_asked = turn_;
        clique_.ring();
    }

    // Finds the ranks of the same color, and sorts them by key.
    void choose() {
        await([this](const RankState& state) { return state.split_asked >= turn_; });
        for (int rank = 0; rank < clique_.ranks(); ++rank) {
            if (clique_.state(rank).color == color_) members_.push_back(rank);
        }
        std::stable_sort(members_.begin(), members_.end(),
                         [this](int one, int other) { return clique_.state(one).key < clique_.state(other).key; });
        if (color_ == NCCL_SPLIT_NOCOLOR || members_.front() != clique_.rank()) return;
        clique_.mine().split_id = make_private_id();
        clique_.mine().split_named = turn_;
        clique_.ring();
    }

    void enter() {
        if (color_ == NCCL_SPLIT_NOCOLOR) return;
        const RankState& first = clique_.state(members_.front());
        await([&](const RankState& state) { return &state != &first || state.split_named >= turn_; });
        id_ = first.split_id;
        const auto self = std::find(members_.begin(), members_.end(), clique_.rank());
        new_clique_ =
            join(id_, static_cast<int>(members_.size()), static_cast<int>(self - members_.begin()), parent_->device);
    }

    void finish() {
        if (new_clique_) {
            await_all(*new_clique_, id_);
            *result_ = publish(std::move(new_clique_), parent_->device);
        } else {
            *result_ = nullptr;
        }
        clique_.mine().split_done = turn_;
        clique_.ring();
    }

    // Waits until every rank is ready.
    template <typename Ready>
    void await(Ready ready) {
        int rank = 0;
        double waited = 0;
        const Outcome outcome = clique_.wait(
            [&] {
                while (rank < clique_.ranks() && ready(clique_.state(rank))) ++rank;
                return rank == clique_.ranks();
            },
            [&](double seconds) {
                waited += seconds;
                const std::string who = text_of_rank(rank, clique_.ranks());
                if (clique_.state(rank).left || !clique_.is_alive(rank)) {
                    clique_.break_off(who + " has ended, but ncclCommSplit needs it");
                } else if (join_timeout() > 0 && waited > join_timeout()) {
                    clique_.break_off(who + " has not called ncclCommSplit within SIMCC_NCCL_TIMEOUT=" +
                                      std::to_string(static_cast<int>(join_timeout())) + " seconds");
                }
            });
        if (outcome == Outcome::done) return;
        throw Refusal{ncclRemoteError,
                      outcome == Outcome::broken ? clique_.broken_text() : "the communicator was aborted"};
    }

    const CommunicatorPointer parent_;
    Clique& clique_;
    const int color_, key_;
    ncclComm_t* const result_;
    uint64_t turn_ = 0;
    std::vector<int> members_;
    ncclUniqueId id_ = {};
    std::unique_ptr<Clique> new_clique_;
};

void join_group(std::unique_ptr<SetUp> set_up) { Group::current().add(std::move(set_up)); }

// Runs the body of a function that makes communicators.
template <typename Body>
ncclResult_t set_up(const char* name, const void* pc, Body body) {
    const CallPlace place = called_from(pc);
    const ncclResult_t result = nccl_function(place, [&] {
        try {
            body();
        } catch (const Refusal& refusal) {
            const std::string where = text_of(place);
            throw Refusal{refusal.code,
                          std::string(name) + (where.empty() ? "" : " at " + where) + ": " + refusal.text};
        }
        return ncclSuccess;
    });
    if (result != ncclSuccess && Group::current().is_open()) Group::current().fail(result);
    return result;
}

void require(bool is_right, const char* what) {
    if (!is_right) throw Refusal{ncclInvalidArgument, what};
}

void init_rank(ncclComm_t* result, int ranks, const ncclUniqueId& id, int rank) {
    require(result != nullptr, "the pointer to the communicator is null");
    require(ranks >= 1 && ranks <= most_ranks, "the simulator's communicators have from 1 to 128 ranks");
    require(rank >= 0 && rank < ranks, "the rank is not below the number of ranks");
    *result = nullptr;
    join_group(std::make_unique<Joining>(result, id, ranks, rank, current_device_index()));
}

void require_config(const ncclConfig_t* config) {
    require(!config || config->magic == 0xcafebeef, "the configuration was not set to NCCL_CONFIG_INITIALIZER");
}

// Answers a query about a communicator.
template <typename Answer, typename Ask>
ncclResult_t answer(ncclComm_t handle, Answer* result, const void* pc, Ask ask) {
    return nccl_function(called_from(pc), [&] {
        const auto communicator = find_communicator(handle);
        require(result != nullptr, "the pointer to the result is null");
        *result = ask(*communicator);
        return ncclSuccess;
    });
}

// Waits until all its operations are done.
void await_operations(Communicator& communicator) {
    Ticket last;
    {
        const std::lock_guard lock(communicator.mutex);
        last = communicator.last;
    }
    last.host_waits();
}

}  // namespace
}  // namespace simt::nccl

using namespace simt::nccl;

#define CALLER __builtin_return_address(0)

ncclResult_t ncclGetVersion(int* version) {
    if (!version) return ncclInvalidArgument;
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
    switch (result) {
        case ncclSuccess: return "no error";
        case ncclUnhandledCudaError: return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
        case ncclSystemError: return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
        case ncclInternalError: return "internal error - please report this issue to the NCCL developers";
        case ncclInvalidArgument: return "invalid argument (run with NCCL_DEBUG=WARN for details)";
        case ncclInvalidUsage: return "invalid usage (run with NCCL_DEBUG=WARN for details)";
        case ncclRemoteError: return "remote process exited or there was a network error";
        case ncclInProgress: return "NCCL operation in progress";
        default: return "unknown result code";
    }
}

const char* ncclGetLastError(ncclComm_t) { return last_error(); }

ncclResult_t ncclMemAlloc(void** pointer, size_t bytes) {
    return cudaMalloc(pointer, bytes) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclMemFree(void* pointer) {
    return cudaFree(pointer) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    return set_up("ncclGetUniqueId", CALLER, [=] {
        require(id != nullptr, "the pointer to the id is null");
        *id = make_unique_id();
    });
}

ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank) {
    return set_up("ncclCommInitRank", CALLER, [&] { init_rank(communicator, ranks, id, rank); });
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
    return set_up("ncclCommInitRankConfig", CALLER, [&] {
        require_config(config);
        init_rank(communicator, ranks, id, rank);
    });
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t* communicator, int ranks, int rank, int id_count, ncclUniqueId* ids,
                                      ncclConfig_t* config) {
    return set_up("ncclCommInitRankScalable", CALLER, [&] {
        require_config(config);
        require(ids != nullptr && id_count >= 1, "there is no unique id");
        init_rank(communicator, ranks, ids[0], rank);
    });
}

ncclResult_t ncclCommInitAll(ncclComm_t* result, int count, const int* devices) {
    return set_up("ncclCommInitAll", CALLER, [&] {
        require(result != nullptr, "the pointer to the communicators is null");
        require(count >= 1 && count <= most_ranks, "the simulator's communicators have from 1 to 128 devices");
        for (int rank = 0; rank < count; ++rank) {
            const int device = devices ? devices[rank] : rank;
            if (!simt::runtime().has_device(device)) {
                throw Refusal{ncclInvalidArgument, "there is no device " + std::to_string(device) + " among the " +
                                                       std::to_string(simt::runtime().device_count()) +
                                                       " simulated ones; SIMCC_DEVICES sets their number"};
            }
        }
        const ncclUniqueId id = make_private_id();
        Group& group = Group::current();
        group.start();
        for (int rank = 0; rank < count; ++rank) {
            group.add(std::make_unique<Joining>(result + rank, id, count, rank, devices ? devices[rank] : rank));
        }
        group.end();
    });
}

ncclResult_t ncclCommSplit(ncclComm_t handle, int color, int key, ncclComm_t* result, ncclConfig_t* config) {
    return set_up("ncclCommSplit", CALLER, [&] {
        require(result != nullptr, "the pointer to the communicator is null");
        require(color >= 0 || color == NCCL_SPLIT_NOCOLOR, "the color is negative");
        require_config(config);
        join_group(std::make_unique<Splitting>(find_communicator(handle), color, key, result));
    });
}

ncclResult_t ncclCommFinalize(ncclComm_t handle) {
    return set_up("ncclCommFinalize", CALLER, [=] { await_operations(*find_communicator(handle)); });
}

ncclResult_t ncclCommDestroy(ncclComm_t handle) {
    if (!handle) return ncclSuccess;
    return set_up("ncclCommDestroy", CALLER, [=] {
        await_operations(*find_communicator(handle));
        communicators().remove(handle);
    });
}

ncclResult_t ncclCommAbort(ncclComm_t handle) {
    if (!handle) return ncclSuccess;
    return set_up("ncclCommAbort", CALLER, [=] {
        const auto communicator = find_communicator(handle);
        communicator->clique->mine().aborted = 1;
        communicator->clique->ring();
        await_operations(*communicator);
        communicators().remove(handle);
    });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* error) {
    return answer(handle, error, CALLER, [](Communicator& communicator) {
        communicator.is_asked = true;
        return communicator.asynchronous_error.load();
    });
}

ncclResult_t ncclCommCount(const ncclComm_t handle, int* count) {
    return answer(handle, count, CALLER, [](const Communicator& communicator) { return communicator.ranks(); });
}

ncclResult_t ncclCommCuDevice(const ncclComm_t handle, int* device) {
    return answer(handle, device, CALLER, [](const Communicator& communicator) { return communicator.device; });
}

ncclResult_t ncclCommUserRank(const ncclComm_t handle, int* rank) {
    return answer(handle, rank, CALLER, [](const Communicator& communicator) { return communicator.rank(); });
}

// Registration has no effect: buffers are used where they are.
ncclResult_t ncclCommRegister(const ncclComm_t handle, void* buffer, size_t, void** result) {
    return answer(handle, result, CALLER, [=](const Communicator&) { return buffer; });
}

ncclResult_t ncclCommDeregister(const ncclComm_t handle, void*) {
    return set_up("ncclCommDeregister", CALLER, [=] { find_communicator(handle); });
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* result, void* scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t handle) {
    return set_up("ncclRedOpCreatePreMulSum", CALLER, [=] {
        const auto communicator = find_communicator(handle);
        require(result != nullptr && scalar != nullptr, "a pointer is null");
        require(bytes_of(type) > 0 && can_reduce(type), "the simulator does not reduce this type");
        Operator how;
        how.operation = ncclNumOps;
        if (residence == ncclScalarDevice) how.scalar = scalar;
        else std::memcpy(how.immediate, scalar, bytes_of(type));
        const std::lock_guard lock(communicator->mutex);
        int number = ncclNumOps;
        while (communicator->operators.count(number) > 0) ++number;
        communicator->operators[number] = {type, how};
        *result = static_cast<ncclRedOp_t>(number);
    });
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t operation, ncclComm_t handle) {
    return set_up("ncclRedOpDestroy", CALLER, [=] {
        const auto communicator = find_communicator(handle);
        const std::lock_guard lock(communicator->mutex);
        require(communicator->operators.erase(operation) == 1, "there is no such operator");
    });
}

#undef CALLER
