"""notesdb as an agent's server: the first answer, a call's time, memory after very many calls."""
import json
import statistics
import subprocess
import time


class Conversation:
    """`notesdb mcp` over standard input and output, one request at a time."""

    def __init__(self, bench, workspace, realtime=True):
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            (bench.front if realtime else []) + [bench.program("notesdb"), "mcp", "--root", str(workspace)],
            env=bench.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.answers = self.process.stdout
        self.number = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "bench", "version": "1"}})
        self.first_answer = (time.perf_counter() - self.begun) * 1000
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def line_of(self, method, params):
        self.number += 1
        return json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode() + b"\n"

    def read_line(self):
        parts = []
        while True:
            part = self.answers.read(1 << 20)
            if not part:
                raise SystemExit("bench: the server went away")
            parts.append(part)
            if part.endswith(b"\n"):
                return b"".join(parts)

    def ask(self, method, params):
        line = self.line_of(method, params)
        self.process.stdin.write(line)
        return self.read_line()

    def memory(self):
        with open("/proc/%d/status" % self.process.pid) as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) * 1024


CALL = {"name": "db_query", "arguments": {"database_id": "tasks", "limit": 1, "select": ["title"],
                                          "filters": [{"field": "_id", "operator": "eq",
                                                       "value": "task-000500"}]}}


def time_calls(talk, calls):
    times = []
    for _ in range(calls):
        begun = time.perf_counter()
        answer = talk.ask("tools/call", CALL)
        times.append(time.perf_counter() - begun)
        if b'"isError":true' in answer:
            raise SystemExit("bench: " + answer.decode()[:400])
    return statistics.median(times) * 1000


def measure(bench, workspace, calls=1000, many=100000):
    starts = []
    for _ in range(9):
        with Conversation(bench, workspace) as talk:
            starts.append(talk.first_answer)
    with Conversation(bench, workspace) as talk:
        time_calls(talk, 50)
        idle = talk.memory()
        call = time_calls(talk, calls)
        before = talk.memory()
        if many:
            time_calls(talk, many)
        return {"first answer": statistics.median(starts), "one-row query": call, "idle memory": idle,
                "memory before": before, "memory after": talk.memory(), "calls": many}
