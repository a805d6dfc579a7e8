// SPDX-License-Identifier: MIT
// The devices form a grid, and each computes a tile of C. It holds a part of the rows of A that its row of the grid
// needs, and a part of the columns of B that its column needs. The rest arrives while it multiplies what it has:
//     stage 0     its part of A times its panels of B              meanwhile, along its row, the other parts of A
//     stage 1     the other parts of A times its panels            meanwhile, along its column, a panel of each device
//     stage 2...  all its rows of A times the panels of a round    meanwhile those of the next round
// This is SUMMA's broadcast of panels (van de Geijn and Watts, 1997), from all devices of a column at once: an
// all-gather uses links in both directions. SUMMA cuts k into panels, and adds up their products. We cut the columns:
// each element of C is one product over all of k, by any variant, whose kernels need not add to C, and sums of 16-bit
// types are not rounded between panels.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/gang/grid.cuh"
#include "tools/matmul/gang/device_tile.cuh"
#include "tools/matmul/gang/split.cuh"

namespace BACKEND {

class TilesOfProduct final : public SplitProduct {
public:
    // `timed`: events record times, so that runs can be drawn.
    TilesOfProduct(Gang& gang, const ProductShape& shape, DType dtype, size_t most_panel_columns, bool timed)
        : gang_(gang),
          grid_(grid_of(gang.size())),
          shape_(shape),
          dtype_(dtype),
          timed_(timed),
          communicators_(gang, grid_) {
        for (size_t rank = 0; rank < gang.size(); ++rank) {
            const Tiling::Place place = {grid_.rows, grid_.columns, grid_.row(rank), grid_.column(rank)};
            tilings_.emplace_back(shape, place, most_panel_columns);
            stages_ = std::max(stages_, 2 + tilings_.back().rounds);
        }
        of_rank_.resize(gang.size());
    }

    std::vector<ProductBlock> parts() const override {
        std::vector<ProductBlock> parts;
        for (const Tiling& tiling : tilings_) parts.push_back(tiling.tile);
        return parts;
    }

    void allocate(size_t rank) override {
        of_rank_[rank] = std::make_unique<OfRank>(DeviceTile(tilings_[rank], shape_, size_of(dtype_)), stages_,
                                                  timed_ ? cudaEventDefault : cudaEventDisableTiming);
    }
    void upload_a(size_t rank, const HostBlock& a) override { of_rank_[rank]->tile.upload_a(a); }
    void upload_b(size_t rank, const HostBlock& b) override { of_rank_[rank]->tile.upload_b(b); }

    unsigned exchange_multiprocessors() const override { return communicators_.multiprocessors(); }
    size_t stages() const override { return stages_; }

    std::vector<LocalProduct> products(size_t rank, size_t stage) const override {
        const bool more_comes = stage == 0 || exchanges_for(rank, stage + 1);
        std::vector<LocalProduct> products;
        tilings_[rank].for_blocks(stage, [&](const IndexRange& rows, const Panel& panel) {
            products.push_back(of_rank_[rank]->tile.product(stage, rows, panel));
            products.back().beside_exchange = more_comes;
        });
        return products;
    }
    std::vector<ProductShape> shapes() const override {
        std::vector<ProductShape> shapes;
        for (const Tiling& tiling : tilings_)
            for (size_t stage = 0; stage < stages_; ++stage)
                tiling.for_blocks(stage, [&](const IndexRange& rows, const Panel& panel) {
                    shapes.push_back({rows.size, panel.columns.size, shape_.k});
                });
        return shapes;
    }

    void begin(size_t rank) override {
        const OfRank& mine = *of_rank_[rank];
        mine.begun.record(gang_.stream(rank));
        CHECK(cudaStreamWaitEvent(mine.exchange, mine.begun, 0));
    }

    // Enqueues what the stage after this one waits for; for stage 1, also what it waits for itself.
    void exchange(size_t stage) override {
        if (stage == 1)
            gather(
                1, [&](size_t rank) { return of_rank_[rank]->tile.gathering_of_a(); },
                [&](size_t rank) { return communicators_.of_row(rank); });
        const size_t round = stage - 1;
        if (stage + 1 == stages_) return;
        // Panels replace those of two rounds before, which are multiplied in stage `round`.
        if (round >= 2)
            gang_.on_each([&](size_t rank) {
                CHECK(cudaStreamWaitEvent(of_rank_[rank]->exchange, of_rank_[rank]->multiplied[round], 0));
            });
        gather(
            stage + 1, [&](size_t rank) { return of_rank_[rank]->tile.gathering_of_b(round); },
            [&](size_t rank) { return communicators_.of_column(rank); });
    }
    void await(size_t rank, size_t stage) override {
        const OfRank& mine = *of_rank_[rank];
        if (stage > 0) CHECK(cudaStreamWaitEvent(gang_.stream(rank), mine.arrived[stage], 0));
        if (timed_) mine.awaited[stage].record(gang_.stream(rank));
    }
    void end(size_t rank, size_t stage) override { of_rank_[rank]->multiplied[stage].record(gang_.stream(rank)); }

    void add_to(Timeline& timeline) const override {
        timeline.legend = "digits are stages, A and B arrive for the next one";
        gang_.on_each([&](size_t rank) {
            const OfRank& mine = *of_rank_[rank];
            const auto add = [&](const std::string& name, const char* category, char symbol, const Event& begin,
                                 const Event& end) {
                timeline.spans.push_back({name, category, symbol, timeline.lanes.size(), elapsed_ns(mine.begun, begin),
                                          elapsed_ns(mine.begun, end)});
            };
            for (size_t stage = 0; stage < stages_; ++stage)
                if (!products(rank, stage).empty())
                    add(text("stage {}", stage), "products", char('0' + stage % 10), mine.awaited[stage],
                        mine.multiplied[stage]);
            timeline.lanes.push_back(text("rank {} products", rank));
            for (size_t stage = 1; stage < stages_; ++stage)
                if (exchanges_for(rank, stage))
                    add(stage == 1 ? "A" : text("B, round {}", stage - 2), "exchange", stage == 1 ? 'A' : 'B',
                        mine.sent[stage], mine.arrived[stage]);
            timeline.lanes.push_back(text("rank {} exchange", rank));
        });
    }

    void poison(size_t rank) override { of_rank_[rank]->tile.poison(gang_.stream(rank)); }
    void download(size_t rank, void* c) override { of_rank_[rank]->tile.download(c); }

private:
    struct OfRank {
        OfRank(DeviceTile tile_, size_t stages, unsigned event_flags) : tile(std::move(tile_)), begun(event_flags) {
            for (std::vector<Event>* events : {&sent, &arrived, &awaited, &multiplied})
                for (size_t stage = 0; stage < stages; ++stage) events->emplace_back(event_flags);
        }

        DeviceTile tile;
        Stream exchange = message_stream();
        Event begun;
        std::vector<Event> sent, arrived, awaited, multiplied;  // of each stage: its exchange and its products
    };

    // Enqueues the all-gathers that a stage waits for, those of all ranks as one operation. They move words of 4 bytes.
    template <typename GatheringOf, typename CommunicatorOf>
    void gather(size_t stage, GatheringOf gathering_of, CommunicatorOf communicator_of) {
        const Nccl& nccl = gang_.nccl();
        const auto record = [&](std::vector<Event> OfRank::*events) {
            gang_.on_each([&](size_t rank) {
                const OfRank& mine = *of_rank_[rank];
                (mine.*events)[stage].record(mine.exchange);
            });
        };
        if (timed_) record(&OfRank::sent);
        nccl.group([&] {
            gang_.on_each([&](size_t rank) {
                const auto [d_send, d_received, bytes] = gathering_of(rank);
                if (bytes == 0) return;
                nccl.expect(nccl.all_gather(d_send, d_received, bytes / 4, ncclInt32, communicator_of(rank),
                                            of_rank_[rank]->exchange),
                            "ncclAllGather", communicator_of(rank));
            });
        });
        record(&OfRank::arrived);
    }
    bool exchanges_for(size_t rank, size_t stage) const {
        return stage == 1 ? grid_.columns > 1 : stage > 1 && grid_.rows > 1 && stage - 2 < tilings_[rank].rounds;
    }

    Gang& gang_;
    const GangGrid grid_;
    const ProductShape shape_;
    const DType dtype_;
    const bool timed_;
    std::vector<Tiling> tilings_;
    size_t stages_ = 2;
    std::vector<std::unique_ptr<OfRank>> of_rank_;
    // (The last member, so the first to be destroyed: after a failure, memory is freed only once no collective uses
    // it.)
    const GridCommunicators communicators_;
};

}  // namespace BACKEND
