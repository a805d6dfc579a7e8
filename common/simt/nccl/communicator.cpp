// SPDX-License-Identifier: MIT
#include "common/simt/nccl/communicator.hpp"

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

}  // namespace simt::nccl
