#!/usr/bin/env python3
"""load.py NOTESDB [--root DIR] [--calls N] [--streams N] [--slow N]: both interfaces under load.

Starts `notesdb mcp` and `notesdb serve` on a folder (made of generated rows unless one is named),
measures a ping and a query of one row, makes many calls, opens many event streams, and lets slow
clients crowd the door. Prints figures; what must hold on any machine is judged, times are not:

  every call is answered rightly, also while streams are open and slow clients hold connections
  memory does not grow with the number of calls, nor by more than 10 MiB under attack: 4 MiB of
    bodies, and what 256 threads need for a moment
  every open stream is told of a change
  the first signal ends the server, with exit code 0, whatever is open

Exit 1 if one of them does not hold.
"""
import argparse
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

MOST_GROWTH_MIB = 10
MODERN = {'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {}}
failures = []


def check(holds, claim):
    if not holds:
        failures.append(claim)
        print('NOT SO:', claim, flush=True)


def made_rows(folder, count):
    """A database `rows` whose notes have a number, a state and a few words each."""
    database = pathlib.Path(folder) / 'rows'
    database.mkdir()
    (database / '_schema.md').write_text(
        '---\nname: Rows\ncolumns:\n  - { id: title, type: text }\n'
        '  - { id: status, type: select, options: [open, done] }\n'
        '  - { id: estimate, type: number }\n---\n')
    for i in range(count):
        (database / f'row-{i:05d}.md').write_text(
            f'---\ntitle: The row {i}\nstatus: {"done" if i % 3 else "open"}\nestimate: {i % 13}\n'
            f'---\n\nSome words about {i}.\n')


def memory(pid, key='VmHWM'):
    with open(f'/proc/{pid}/status') as status:
        for line in status:
            if line.startswith(key):
                return int(line.split()[1]) / 1024
    return 0


def quantile(times, part):
    return sorted(times)[min(len(times) - 1, int(part * len(times)))] * 1000


def told(what, times):
    print(f'{what:44s} p50 {quantile(times, .5):7.3f} ms  p99 {quantile(times, .99):7.3f} ms',
          flush=True)


class Stdio:
    name = 'stdio'

    def __init__(self, program, root):
        self.process = subprocess.Popen([program, 'mcp', '--root', root], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, bufsize=0)
        self.lines = os.fdopen(os.dup(self.process.stdout.fileno()), 'rb')

    def ask(self, message):
        os.write(self.process.stdin.fileno(), json.dumps(message).encode() + b'\n')
        return json.loads(self.lines.readline())

    def end(self):
        self.process.stdin.close()
        return self.process.wait(timeout=10)


class Http:
    name = 'HTTP'

    def __init__(self, program, root):
        self.process = subprocess.Popen([program, 'serve', '--root', root, '--port', '0'],
                                        stderr=subprocess.PIPE)
        self.port = int(self.process.stderr.readline().rsplit(b':', 1)[1].split(b'/')[0])
        self.connection = None

    def connect(self, seconds=60):
        connection = socket.create_connection(('127.0.0.1', self.port), timeout=seconds)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def post(self, connection, message):
        body = json.dumps(message).encode()
        params = message.get('params', {})
        head = b'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
        if '_meta' in params:
            head += b'MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n' % message['method'].encode()
            if 'name' in params:
                head += b'Mcp-Name: %s\r\n' % params['name'].encode()
        connection.sendall(head + b'Content-Length: %d\r\n\r\n' % len(body) + body)

    def ask(self, message):
        # A connection serves 1000 requests; then the server closes it.
        for _ in range(2):
            if self.connection is None:
                self.connection = self.connect()
                self.unread = b''
            try:
                self.post(self.connection, message)
                return self.read_answer()
            except (OSError, EOFError):
                self.connection = None
        raise EOFError('the server closed two connections')

    def read_answer(self):
        while b'\r\n\r\n' not in self.unread:
            self.more()
        head, _, self.unread = self.unread.partition(b'\r\n\r\n')
        length = next(int(line.split(b':')[1]) for line in head.split(b'\r\n')
                      if line.lower().startswith(b'content-length:'))
        while len(self.unread) < length:
            self.more()
        body, self.unread = self.unread[:length], self.unread[length:]
        return json.loads(body)

    def more(self):
        part = self.connection.recv(65536)
        if not part:
            raise EOFError
        self.unread += part

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=10)


def request(method, params, modern=True):
    if modern:
        params = {**params, '_meta': MODERN}
    return {'jsonrpc': '2.0', 'id': 1, 'method': method, 'params': params}


def one_row(database):
    return request('tools/call', {'name': 'db_query', 'arguments': {
        'database_id': database, 'limit': 1, 'filters': [
            {'field': 'status', 'operator': 'eq', 'value': 'done'}]}})


def is_one_row(answer):
    return len(answer['result']['structuredContent']['rows']) == 1


def timed(door, message, times, is_right=lambda answer: 'result' in answer):
    begin = time.perf_counter()
    answer = door.ask(message)
    times.append(time.perf_counter() - begin)
    check(is_right(answer), f'{door.name}: {message["method"]} is answered rightly')


def measure(make, program, root, database, calls):
    begin = time.perf_counter()
    door = make(program, root)
    first = door.ask(request('server/discover', {}))
    print(f'{door.name}: first answer after {(time.perf_counter() - begin) * 1000:.1f} ms, '
          f'{memory(door.process.pid, "VmRSS"):.1f} MiB', flush=True)
    check('result' in first, f'{door.name}: the first question is answered')
    ping = request('ping', {}, modern=False)
    queries, pings = [], []
    for _ in range(min(calls, 1000)):
        timed(door, ping, pings)
        timed(door, one_row(database), queries, is_one_row)
    told(f'{door.name}: ping', pings)
    told(f'{door.name}: db_query of one row', queries)
    before = memory(door.process.pid)
    more = []
    for _ in range(calls):
        timed(door, one_row(database), more, is_one_row)
    grown = memory(door.process.pid) - before
    told(f'{door.name}: {calls} more, +{grown:.1f} MiB', more)
    check(grown < 4, f'{door.name}: memory does not grow with the calls (+{grown:.1f} MiB)')
    check(door.end() == 0, f'{door.name}: the server ends with exit code 0')


def listen(door, uri):
    stream = door.connect()
    door.post(stream, request('subscriptions/listen',
                              {'notifications': {'resourceSubscriptions': [uri]}}))
    return stream


def read_until(stream, wanted):
    """What comes on a stream, until it holds this or ends."""
    heard = b''
    try:
        while wanted not in heard:
            part = stream.recv(65536)
            if not part:
                break
            heard += part
    except OSError:
        pass
    return heard


def with_streams(program, root, database, count, calls):
    door = Http(program, root)
    row = next(path for path in sorted(pathlib.Path(root, database).glob('*.md'))
               if not path.name.startswith('_'))
    streams = [listen(door, f'notesdb://database/{database}') for _ in range(count)]
    acknowledged = sum(b'acknowledged' in read_until(stream, b'acknowledged') for stream in streams)
    check(acknowledged == count, f'{acknowledged} of {count} streams are acknowledged')
    times = []
    for _ in range(calls):
        timed(door, one_row(database), times, is_one_row)
    told(f'HTTP: db_query beside {count} open streams', times)
    row.write_text(row.read_text() + 'One more line.\n')
    heard = sum(b'resources/updated' in read_until(stream, b'resources/updated')
                for stream in streams)
    check(heard == count, f'{heard} of {count} streams are told of a change')
    begin = time.perf_counter()
    check(door.end() == 0, 'the first signal ends a server with open streams')
    print(f'HTTP: ended {time.perf_counter() - begin:.2f} s after the first signal', flush=True)
    ended = sum(b'"result"' in read_until(stream, b'"result"') for stream in streams)
    check(ended == count, f'{ended} of {count} streams get their last message')


HEAD = b'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
SLOW = [('say nothing', b'', b''),
        ('send a head a byte at a time', b'G', b'E'),
        ('send a body a byte at a time', HEAD + b'Content-Length: 1000000\r\n\r\n', b'x'),
        ('send a body and keep its end', HEAD + b'Content-Length: 60000\r\n\r\n' + b' ' * 59999, b''),
        ('ask and do not read', HEAD + b'Content-Length: 40\r\n\r\n'
         + b'{"jsonrpc":"2.0","id":1,"method":"ping"}', b'')]


def with_slow_clients(program, root, database, count, calls):
    for what, opening, drip in SLOW:
        door = Http(program, root)
        for _ in range(20):
            door.ask(one_row(database))
        before = memory(door.process.pid)
        crowd = [door.connect() for _ in range(count)]
        for one in crowd:
            one.sendall(opening)
        times = []
        for i in range(calls):
            try:
                if drip:
                    crowd[i % count].sendall(drip)
            except OSError:
                pass  # it was shown the door
            timed(door, one_row(database), times, is_one_row)
        grown = memory(door.process.pid) - before
        told(f'HTTP: {count} who {what}, +{grown:.1f} MiB', times)
        check(grown < MOST_GROWTH_MIB, f'{count} who {what} cost +{grown:.1f} MiB')
        begin = time.perf_counter()
        check(door.end() == 0, f'the first signal ends a server with {count} who {what}')
        check(time.perf_counter() - begin < 8, f'it ends in time with {count} who {what}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--root')
    parser.add_argument('--database', default='rows')
    parser.add_argument('--rows', type=int, default=1000)
    parser.add_argument('--calls', type=int, default=1000)
    parser.add_argument('--streams', type=int, default=200)
    parser.add_argument('--slow', type=int, default=64)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ['XDG_CACHE_HOME'] = os.path.join(folder, 'cache')
        os.environ['XDG_STATE_HOME'] = os.path.join(folder, 'state')
        root = options.root or os.path.join(folder, 'workspace')
        if not options.root:
            os.mkdir(root)
            made_rows(root, options.rows)
        few = min(options.calls, 300)
        for make in (Stdio, Http):
            measure(make, options.program, root, options.database, options.calls)
        with_streams(options.program, root, options.database, options.streams, few)
        for count in (options.slow, options.slow * 4):
            with_slow_clients(options.program, root, options.database, count, few)
    sys.exit(1 if failures else 0)


main()
