#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random kernels with barriers and warp functions in nested uniform control flow, for simcc -lanes.

lane_loops.py SEED [KERNELS] prints a CUDA program without data races. Its output, a line of sums for each kernel and
block shape, must not depend on -lanes.
"""
import random
import sys


class Kernel:
    """The text of one kernel: statements by level of nesting, with the names that are visible."""

    def __init__(self, rng, number):
        self.rng, self.number, self.names, self.text = rng, number, 0, []
        self.uniform, self.lane = ["n", "k"], ["tid"]
        self.fixed = []  # variables of loops: read only
        self.depth = 0

    def put(self, line):
        self.text.append("    " * (self.depth + 1) + line)

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def uniform_value(self):
        rng = self.rng
        choice = rng.randrange(5)
        if choice == 0:
            return str(rng.randrange(1, 9))
        if choice == 1:
            return f"(blockIdx.x + {rng.randrange(4)})"
        if choice == 2:
            return f"(blockDim.x + {rng.choice(self.uniform)})"
        return rng.choice(self.uniform + self.fixed)

    def value(self, depth=0):
        rng = self.rng
        choice = rng.randrange(9 if depth < 2 else 4)
        if choice < 2:
            return rng.choice(self.lane)
        if choice == 2:
            return self.uniform_value()
        if choice == 3:
            return f"{rng.randrange(100)}u"
        if choice == 4:
            return f"({self.value(depth + 1)} ^ {self.value(depth + 1)} >> {rng.randrange(1, 9)})"
        if choice == 5:
            return f"({self.value(depth + 1)} & 1 ? {self.value(depth + 1)} : {self.value(depth + 1)})"
        return f"({self.value(depth + 1)} {rng.choice('+-*^|')} {self.value(depth + 1)})"

    def uniform_condition(self):
        return f"{self.uniform_value()} % {self.rng.randrange(2, 5)} {self.rng.choice(['<', '!=', '=='])} 1"

    def shuffle(self):
        rng = self.rng
        value = self.value(1)
        choice = rng.randrange(8)
        if choice == 0:
            return f"__shfl_sync(full, {value}, {rng.randrange(32)})"
        if choice == 1:
            return f"__shfl_up_sync(full, {value}, {rng.randrange(1, 17)})"
        if choice == 2:
            return f"__shfl_down_sync(full, {value}, {rng.randrange(1, 17)}, {rng.choice([8, 16, 32])})"
        if choice == 3:
            return f"__shfl_xor_sync(full, {value}, {rng.choice([1, 2, 4, 8, 16, 3])})"
        if choice == 4:
            return f"__ballot_sync(full, {value} % 3 == 0)"
        if choice == 5:
            return f"__reduce_{rng.choice(['add', 'min', 'max', 'xor'])}_sync(full, {value})"
        if choice == 6:
            return f"{rng.choice(['__any_sync', '__all_sync'])}(full, {value} % 5 < 4)"
        return f"__match_any_sync(full, {value} % 3)"

    def lane_statement(self):
        """A statement without barriers."""
        rng = self.rng
        mutable = [v for v in self.lane if v != "tid"]
        choice = rng.randrange(7)
        if choice == 0 or not mutable:
            name = self.name("v")
            self.put(f"unsigned {name} = {self.value()};")
            self.lane.append(name)
        elif choice == 1:
            self.put(f"{rng.choice(mutable)} {rng.choice(['=', '+=', '^='])} {self.value()};")
        elif choice == 2:
            self.put(f"if ({self.value()} % {rng.randrange(2, 6)} == 0) {rng.choice(mutable)} += {self.value()};")
        elif choice == 3:
            i = self.name("i")
            self.put(f"for (unsigned {i} = 0; {i} < {rng.choice(['tid % 5', '4', 'k % 3'])}; ++{i}) "
                     f"{rng.choice(mutable)} = {rng.choice(mutable)} * 3 + {i};")
        elif choice == 4:
            self.put(f"own[{rng.randrange(4)}] += {self.value()};")
        elif choice == 5:
            self.put(f"{rng.choice(mutable)} ^= own[{rng.choice(mutable)} % 4];")
        else:
            self.put(f"f += {rng.choice(mutable)} % 7 * 0.37f;")

    def exchange(self):
        """Through shared memory, with the barriers that it needs."""
        rng = self.rng
        mutable = [v for v in self.lane if v != "tid"]
        self.put(f"s[tid] = {self.value()};")
        self.put("__syncthreads();")
        target = rng.choice(mutable) if mutable else "own[0]"
        self.put(f"{target} += s[(tid * {rng.randrange(1, 5)} + {self.uniform_value()}) % threads];")
        self.put("__syncthreads();")

    def block(self, statements, act):
        keep = len(self.lane), len(self.uniform), len(self.fixed)
        self.depth += 1
        self.statements(statements, act)
        self.depth -= 1
        del self.lane[keep[0]:], self.uniform[keep[1]:], self.fixed[keep[2]:]

    def statement(self, warp):
        rng = self.rng
        choice = rng.randrange(14)
        deep = self.depth >= 3
        if choice < 4:
            self.lane_statement()
        elif choice < 6:
            if not warp:
                self.exchange()
        elif choice < 8:
            target = self.name("w")
            self.put(f"unsigned {target} = {self.value()} + {self.shuffle()};")
            self.lane.append(target)
        elif choice == 8 and not deep:
            i = self.name("i")
            self.put(f"for (unsigned {i} = {rng.randrange(1, 4)}; {i} < {self.uniform_value()} % 9; "
                     f"{rng.choice([f'++{i}', f'{i} *= 2', f'{i} += 3'])}) {{")
            self.fixed.append(i)
            self.block(rng.randrange(1, 4), warp)
            if rng.randrange(3) == 0:
                self.put(f"    if ({self.uniform_condition()}) {rng.choice(['break', 'continue'])};")
                self.block(1, warp)
            self.put("}")
            self.fixed.remove(i)
        elif choice == 9 and not deep:
            self.put(f"if ({self.uniform_condition()}) {{")
            self.block(rng.randrange(1, 4), warp)
            if rng.randrange(2):
                self.put("} else {")
                self.block(rng.randrange(1, 3), warp)
            self.put("}")
        elif choice == 10 and not warp:
            u = self.name("u")
            self.put(f"unsigned {u} = {self.uniform_value()};")
            self.uniform.append(u)
        elif choice == 11 and not deep and self.whole_warps:
            self.put(f"if (rank / 32 % {rng.randrange(2, 4)} == 0) {{")
            self.block(rng.randrange(1, 4), True)
            if rng.randrange(2):
                self.put("} else {")
                self.block(rng.randrange(1, 3), True)
            self.put("}")
        elif choice == 12 and not deep:
            w = self.name("c")
            self.put(f"unsigned {w} = {rng.randrange(1, 6)};")
            self.put(f"while ({w} > 0) {{")
            self.fixed.append(w)
            self.block(rng.randrange(1, 3), warp)
            self.put(f"    --{w};")
            self.put("}")
            self.fixed.remove(w)
        elif choice == 13 and not warp:
            self.put(f"if (__syncthreads_or({self.value()} % 64 == 0)) {{")
            self.block(rng.randrange(1, 3), warp)
            self.put("}")
        else:
            self.put(f"atomicAdd(&count[{rng.randrange(4)}], {rng.choice(self.lane)} | 1);")  # (0 would let others run)

    def statements(self, count, warp):
        for _ in range(count):
            self.statement(warp)

    def write(self):
        rng = self.rng
        self.whole_warps = True
        leaves = rng.randrange(4) == 0
        print(f"__global__ void k{self.number}(unsigned n, unsigned k, unsigned* out, unsigned* count, float* sum) {{")
        print("    const unsigned full = 0xffffffff, threads = blockDim.x * blockDim.y;")
        print("    unsigned tid = threadIdx.x + blockDim.x * threadIdx.y;")
        print("    const unsigned rank = tid;")
        print("    __shared__ unsigned s[256];")
        print("    unsigned own[4] = {tid, 1, k, 3};")
        print("    float f = tid * 0.1f;")
        print("    s[tid] = tid;")
        print("    __syncthreads();")
        if leaves:  # by whole warps, so that nobody reads from lanes that are gone
            print("    if (tid / 32 == n % 5) return;")
        self.statements(rng.randrange(4, 12), False)
        used = " ^ ".join(v for v in self.lane)
        print("\n".join(self.text))
        print(f"    out[blockIdx.x * threads + tid] = own[0] + own[1] * 3 + own[2] * 5 + own[3] * 7 + ({used});")
        print("    __syncthreads();")
        print("    atomicAdd(&sum[tid % 2], f);")
        print("}")


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    kernels = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    rng = random.Random(seed)
    print("#include <cstdio>")
    for number in range(kernels):
        Kernel(rng, number).write()
    print("""unsigned *out, *count; float* sum;
template <typename K> void run(K kernel, int number, dim3 block) {
    unsigned threads = block.x * block.y, hash = 0;
    cudaMemset(out, 0, 4096); for (int i = 0; i < 4; ++i) count[i] = 0, sum[i] = 0;
    kernel<<<3, block>>>(threads + number, number % 7, out, count, sum);
    cudaError_t error = cudaDeviceSynchronize();
    for (unsigned i = 0; i < 3 * threads; ++i) hash = hash * 31 + out[i];
    printf("%d (%u,%u) %s %08x %08x %08x %a %a\\n", number, block.x, block.y, cudaGetErrorName(error), hash,
           count[0] + 3 * count[1], count[2] + 3 * count[3], sum[0], sum[1]);
}
int main() {
    cudaMallocManaged(&out, 4096); cudaMallocManaged(&sum, 16); cudaMallocManaged(&count, 16);""")
    for number in range(kernels):
        for block in ("32", "64", "256", "dim3(16, 8)", "dim3(8, 4)", "dim3(48, 2)", "dim3(32, 3)"):
            print(f"    run(k{number}, {number}, {block});")
    print("}")


main()
