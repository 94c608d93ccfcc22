# Times the collectives of PyTorch's gloo backend between processes.
#
# usage: collectives_torch.py RANKS KINDS BYTES BATCHES, lists separated by commas.
# Moves what benchmarks/collectives.cpp moves and prints the same objects, one a
# line; what gloo cannot do is an object with an "error". A batch takes as long as
# on the slowest rank; buffers are reused.
import json
import os
import statistics
import sys
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as processes


def operations(rank, ranks, count):
    """By kind, a function that does it once."""
    shard, mirror, partner = count // ranks, ranks - 1 - rank, rank ^ 1
    whole, other, part = torch.zeros(count), torch.zeros(count), torch.zeros(shard)
    pieces = list(other.split(shard)) if rank == 0 else None

    def permute():
        # Send and receive at once, as MPI_Sendrecv does.
        for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, whole, mirror),
                                            dist.P2POp(dist.irecv, other, mirror)]):
            work.wait()

    sends, receives = [0] * ranks, [0] * ranks
    for half in range(2):
        sends[2 * (rank % (ranks // 2)) + half] = count // 2
        receives[half * ranks // 2 + rank // 2] = count // 2

    def there_and_back():
        for turn in range(2):
            if rank % 2 == turn:
                dist.send(whole, partner)
            else:
                dist.recv(other, partner)

    return {
        "all_reduce": lambda: dist.all_reduce(whole),
        "all_gather": lambda: dist.all_gather_into_tensor(whole, part),
        "reduce_scatter": lambda: dist.reduce_scatter_tensor(part, whole),
        "all_to_all": lambda: dist.all_to_all_single(other, whole),
        "permute": permute,
        "exchange": lambda: dist.all_to_all_single(other, whole, receives, sends),
        "broadcast": lambda: dist.broadcast(whole, 0),
        "gather": lambda: dist.gather(part, pieces, 0),
        "scatter": lambda: dist.scatter(part, pieces, 0),
        "send_recv": there_and_back,
    }


def measure(rank, ranks, meeting, kinds, sizes, batches):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + meeting, rank=rank, world_size=ranks)
    for kind in kinds:
        for size in sizes:
            run = operations(rank, ranks, size // 4)[kind]
            calls = max(2, min(50, (4 << 20) // size))
            row = {"collective": kind, "ranks": ranks, "bytes": size}
            try:
                run()
                times = []
                for _ in range(batches):
                    dist.barrier()
                    start = time.perf_counter()
                    for _ in range(calls):
                        run()
                    slowest = torch.tensor([time.perf_counter() - start], dtype=torch.float64)
                    dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
                    times.append(1e6 * slowest.item() / calls / (2 if kind == "send_recv" else 1))
                row.update(min_us=min(times), median_us=statistics.median(times))
            except (RuntimeError, ValueError, NotImplementedError) as error:
                row["error"] = str(error).splitlines()[0][:120]
            if rank == 0:
                print(json.dumps(row), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks, batches = int(sys.argv[1]), int(sys.argv[4])
    with tempfile.TemporaryDirectory() as folder:
        processes.spawn(measure, nprocs=ranks, args=(
            ranks, os.path.join(folder, "meeting"), sys.argv[2].split(","),
            [int(size) for size in sys.argv[3].split(",")], batches))
