// SPDX-License-Identifier: MIT
// A product that a gang computes together: which part of C each rank computes, from what, in which order.
#pragma once

#include <vector>

#include "common/gang/devices.cuh"
#include "common/measure/timeline.hpp"
#include "tools/matmul/gang/worker.cuh"
#include "tools/matmul/host_part.hpp"

namespace BACKEND {

// Ranks compute in stages of some products each, which an exchange among the devices may precede.
// Functions that take a rank are called with its device as the current one; exchange() is called once for all ranks.
class SplitProduct {
public:
    virtual ~SplitProduct() = default;

    // The part of C that each rank computes: known before there is memory for it.
    virtual std::vector<ProductBlock> parts() const = 0;
    // Makes room on the rank's device.
    virtual void allocate(size_t rank) = 0;
    // Copies the rank's part of a block to its device. A block of A has all its rows, a block of B all its columns.
    virtual void upload_a(size_t rank, const HostBlock& a) = 0;
    virtual void upload_b(size_t rank, const HostBlock& b) = 0;

    // Multiprocessors that exchanges take while products run.
    virtual unsigned exchange_multiprocessors() const { return 0; }
    virtual size_t stages() const = 0;
    // The products of a rank of this process.
    virtual std::vector<LocalProduct> products(size_t rank, size_t stage) const = 0;
    // The shapes of all ranks' products, some of them more than once.
    virtual std::vector<ProductShape> shapes() const = 0;

    // These enqueue: the begin of a rank's work; the exchange that stage 1 and later ones wait for; a rank's wait
    // before a stage; the end of its stage.
    virtual void begin(size_t /*rank*/) {}
    virtual void exchange(size_t /*stage*/) {}
    virtual void await(size_t /*rank*/, size_t /*stage*/) {}
    virtual void end(size_t /*rank*/, size_t /*stage*/) {}

    // Adds what the devices did in the last run, and when, if times are recorded.
    virtual void add_to(Timeline& /*timeline*/) const {}

    // Overwrites the rank's part of C, and all that it is to receive, with NaN.
    virtual void poison(size_t rank) = 0;
    // Copies the rank's part of C to the host, with contiguous rows.
    virtual void download(size_t rank, void* c) = 0;
};

}  // namespace BACKEND
