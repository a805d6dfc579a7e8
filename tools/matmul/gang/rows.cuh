// SPDX-License-Identifier: MIT
// Each device has its rows of A and C, and all of B: none needs data of another.
#pragma once

#include <memory>
#include <vector>

#include "tools/matmul/gang/split.cuh"

namespace BACKEND {

class RowsOfProduct final : public SplitProduct {
public:
    RowsOfProduct(Gang& gang, const ProductShape& shape, DType dtype)
        : gang_(gang), shape_(shape), element_bytes_(size_of(dtype)), of_rank_(gang.size()) {}

    std::vector<ProductBlock> parts() const override {
        std::vector<ProductBlock> parts;
        for (size_t rank = 0; rank < gang_.size(); ++rank)
            parts.push_back({{rows_of(rank).begin, rows_of(rank).size}, {0, shape_.n}});
        return parts;
    }

    void allocate(size_t rank) override {
        const ProductShape part = shape_of(rank);
        expect_room(part.name(), part.elements() * double(element_bytes_));
        of_rank_[rank] = std::make_unique<Matrices>(part, element_bytes_);
    }
    void upload_a(size_t rank, const HostBlock& a) override {
        Matrices& matrices = *of_rank_[rank];
        if (matrices.a.size() == 0) return;
        matrices.copier.to_device(matrices.a.data(), a.at(rows_of(rank).begin, 0), matrices.a.bytes());
    }
    void upload_b(size_t rank, const HostBlock& b) override {
        Matrices& matrices = *of_rank_[rank];
        if (matrices.b.size() == 0) return;
        matrices.copier.to_device(matrices.b.data() + b.place.rows.begin * b.row_bytes(), b.elements,
                                  b.place.rows.size * b.row_bytes());
    }

    size_t stages() const override { return 1; }
    std::vector<LocalProduct> products(size_t rank, size_t) const override {
        const Matrices& matrices = *of_rank_[rank];
        if (matrices.c.size() == 0) return {};
        return {{shape_of(rank), matrices.a.data(), matrices.b.data(), matrices.c.data()}};
    }
    std::vector<ProductShape> shapes() const override {
        std::vector<ProductShape> shapes;
        for (size_t rank = 0; rank < gang_.size(); ++rank)
            if (shape_of(rank).m * shape_.n > 0) shapes.push_back(shape_of(rank));
        return shapes;
    }

    void poison(size_t rank) override {
        const DeviceBuffer<unsigned char>& c = of_rank_[rank]->c;
        if (c.size() > 0) CHECK(cudaMemsetAsync(c.data(), 0xff, c.bytes(), gang_.stream(rank)));
    }

    void download(size_t rank, void* c) override {
        Matrices& matrices = *of_rank_[rank];
        matrices.copier.to_host(c, matrices.c.data(), matrices.c.bytes());
    }

private:
    struct Matrices {
        Matrices(const ProductShape& shape, size_t element_bytes)
            : a(shape.m * shape.k * element_bytes),
              b(shape.m > 0 ? shape.k * shape.n * element_bytes : 0),
              c(shape.m * shape.n * element_bytes) {}
        DeviceBuffer<unsigned char> a, b, c;
        StagedCopier copier;
    };

    Share rows_of(size_t rank) const { return share_of(shape_.m, rank, gang_.size()); }
    ProductShape shape_of(size_t rank) const { return {rows_of(rank).size, shape_.n, shape_.k}; }

    Gang& gang_;
    const ProductShape shape_;
    const size_t element_bytes_;
    std::vector<std::unique_ptr<Matrices>> of_rank_;
};

}  // namespace BACKEND
