"""Two hosts as network namespaces, and a line between them that takes time and loses packets, as tc's netem has it,
which few kernels of containers hold: packets pass through this process. Requires the rights to make namespaces and
tunnels (lit's feature `netns`). Guarantees that nothing is left of them."""
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import threading
import time

ADDRESSES = ("10.20.0.1", "10.20.0.2")
_TUNSETIFF, _TUN_WITHOUT_HEADER = 0x400454CA, 0x1001


def _ip(*words):
    subprocess.run(["ip", *words], check=True)


class TwoHosts:
    """`with TwoHosts(seconds, loss) as hosts:`; `hosts.command(i)` is what starts a command on host i, 0 or 1.

    seconds: how long a packet takes, each way. loss: the part of packets that is lost, 0 to 1.
    cut: from `seconds` after the first packet on nothing passes.
    """

    def __init__(self, seconds, loss, cut=float("inf")):
        self._delay, self._loss, self._cut = seconds, loss, cut
        self._names = [f"shardir-{os.getpid()}-{i}" for i in range(2)]
        self._ends = []
        self._stop, self._stopped = os.pipe()

    def __enter__(self):
        try:
            for name, address in zip(self._names, ADDRESSES):
                end = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
                self._ends.append(end)
                device = "tun" + name[7:]
                fcntl.ioctl(end, _TUNSETIFF, struct.pack("16sH22x", device.encode(), _TUN_WITHOUT_HEADER))
                _ip("netns", "add", name)
                _ip("link", "set", device, "netns", name)
                for words in (["address", "add", f"{address}/24", "dev", device], ["link", "set", device, "up"],
                              ["link", "set", "lo", "up"]):
                    _ip("-n", name, *words)
        except BaseException:
            self.__exit__()
            raise
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        os.close(self._stopped)
        if hasattr(self, "_thread"):
            self._thread.join()
        for end in self._ends:
            os.close(end)
        for name in self._names:
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)

    def command(self, host):
        return ["ip", "netns", "exec", self._names[host]]

    def _carry(self):
        chance, under_way, number, first = random.Random(0), [], 0, None
        while True:
            wait = max(0, under_way[0][0] - time.monotonic()) if under_way else None
            ready, _, _ = select.select([*self._ends, self._stop], [], [], wait)
            now = time.monotonic()
            if self._stop in ready:
                return
            for i, end in enumerate(self._ends):
                if end in ready:
                    packet = os.read(end, 65536)
                    first = now if first is None else first
                    if chance.random() >= self._loss and now - first < self._cut:
                        number += 1
                        heapq.heappush(under_way, (now + self._delay, number, self._ends[1 - i], packet))
            while under_way and under_way[0][0] <= now:
                _, _, end, packet = heapq.heappop(under_way)
                os.write(end, packet)
