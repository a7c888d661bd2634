#!/usr/bin/env python3
"""abuse.py SERVER...: attacks an HTTP server of ours in every way that hurt the library beneath it.

The command must listen on 127.0.0.1 and print its port alone on its first line. Every attack meets a
fresh server. After it the server must be alive, answer others quickly, have grown by less than
8 MiB, and have said what is expected. One line an attack; exit 1 if one got through.
tests/faults/attacks.py attacks the product in the same ways.
"""
import json
import socket
import struct
import subprocess
import sys
import time
import zlib

MIB = 1 << 20
HOST = b'Host: localhost\r\n'
JSON = b'Content-Type: application/json\r\n'
ENDLESS = 16 * MIB
MOST_GROWTH_MIB = 8
SLOWEST_OTHER_MS = 500  # generous: the machine may be busy; idle it is 1


def fixture():
    """The server of the command line and its port."""
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return process, int(process.stdout.readline())


class Server:
    """A server of its own for one attack."""

    def __init__(self, start):
        self.start = start

    def __enter__(self):
        self.process, self.port = self.start()
        self.health()
        self.before = self.memory()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def memory(self):
        """The most it ever held, in MiB."""
        with open(f'/proc/{self.process.pid}/status') as status:
            for line in status:
                if line.startswith('VmHWM'):
                    return int(line.split()[1]) / 1024
        return 0

    def connect(self, seconds=4):
        return socket.create_connection(('127.0.0.1', self.port), timeout=seconds)

    def health(self):
        """Milliseconds until somebody else is served; infinity if not."""
        begin = time.monotonic()
        try:
            with self.connect() as other:
                other.sendall(b'GET /health HTTP/1.1\r\n' + HOST + b'Connection: close\r\n\r\n')
                served = other.recv(64).startswith(b'HTTP/1.1 200')
        except OSError:
            served = False
        return (time.monotonic() - begin) * 1000 if served else float('inf')


def read_answer(connection, seconds=4):
    connection.settimeout(seconds)
    answer = b''
    try:
        while len(answer) < 4096:
            part = connection.recv(4096)
            if not part:
                break
            answer += part
    except OSError:
        pass
    return answer


def say(connection, data):
    """Sends, to a server that may have had enough and closed."""
    try:
        connection.sendall(data)
    except OSError:
        pass


def send(data, seconds=4):
    """Sends once and reads what comes."""
    def attack(server):
        with server.connect() as connection:
            say(connection, data)
            return read_answer(connection, seconds)
    return attack


def stream(head, unit):
    """Sends a head, then a unit again and again until it is stopped."""
    def attack(server):
        with server.connect(10) as connection:
            blob = unit * max(1, 65536 // len(unit))
            sent = 0
            try:
                connection.sendall(head)
                while sent < ENDLESS:
                    connection.sendall(blob)
                    sent += len(blob)
            except OSError:
                pass
            return read_answer(connection, 1)
    return attack


def post(body, headers=JSON, length=None):
    size = len(body) if length is None else length
    return (b'POST /mcp HTTP/1.1\r\n' + HOST + headers +
            b'Content-Length: %s\r\n\r\n' % str(size).encode() + body)


def call(tool, **arguments):
    params = {'name': tool, **({'arguments': arguments} if arguments else {})}
    return json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call', 'params': params}).encode()


def bomb(encoding, window):
    pack = zlib.compressobj(9, zlib.DEFLATED, window)
    packed = b''.join(pack.compress(b'\0' * MIB) for _ in range(64)) + pack.flush()
    return send(post(packed, JSON + b'Content-Encoding: ' + encoding + b'\r\n'))


def multipart(part_head):
    body = b'--B\r\n' + part_head + b'\r\n\r\nbody\r\n--B--\r\n'
    return send(post(body, b'Content-Type: multipart/form-data; boundary=B\r\n'))


def crowd(count, opening, again=b'', rounds=4):
    """Many connections that say something and then hardly anything; others must be served."""
    def attack(server):
        crowd_ = [server.connect() for _ in range(count)]
        for one in crowd_:
            say(one, opening)
        worst = 0
        for _ in range(rounds):
            for one in crowd_:
                try:
                    if again:
                        one.sendall(again)
                    else:
                        one.settimeout(0.01)
                        one.recv(1)
                except OSError:
                    pass
            worst = max(worst, server.health())
        for one in crowd_:
            one.close()
        return b'HTTP/1.1 200 ' if worst < SLOWEST_OTHER_MS else f'others waited {worst} ms'.encode()
    return attack


def drops(server):
    for _ in range(400):
        with server.connect() as connection:
            say(connection, b'POST /mcp HTTP/1.1\r\n')
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    return b'HTTP/1.1 200 '


def get(path=b'/health', headers=HOST):
    return b'GET ' + path + b' HTTP/1.1\r\n' + headers + b'\r\n'


OPEN_POST = b'POST /mcp HTTP/1.1\r\n' + HOST + JSON
SMUGGLED = b'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'

# Name, attack, the status that it must be answered with.
ATTACKS = [
    ('a good request', send(get()), 200),
    ('a body over the limit', stream(OPEN_POST + b'Content-Length: %d\r\n\r\n' % ENDLESS,
                                     b'x' * 4096), 413),
    ('chunks without end', stream(OPEN_POST + b'Transfer-Encoding: chunked\r\n\r\n',
                                  b'1000\r\n' + b'x' * 4096 + b'\r\n'), 411),
    ('a body without a length', stream(OPEN_POST + b'\r\n', b'x' * 4096), 411),
    ('a huge chunk', stream(OPEN_POST + b'Transfer-Encoding: chunked\r\n\r\nfffffffffffffff0\r\n',
                            b'x' * 4096), 411),
    ('a negative chunk', stream(OPEN_POST + b'Transfer-Encoding: chunked\r\n\r\n-2\r\n',
                                b'x' * 4096), 411),
    ('a request line without end', stream(b'GET /', b'a' * 4096), 431),
    ('a header without end', stream(b'GET /health HTTP/1.1\r\nX-A: ', b'a' * 4096), 431),
    ('zero bytes without end', stream(b'', b'\0' * 4096), 431),
    ('headers without end', stream(b'GET /health HTTP/1.1\r\n' + HOST, b'X-H: yyyyyyyy\r\n'), 431),
    ('a gzip bomb', bomb(b'gzip', 31), 415),
    ('a deflate bomb', bomb(b'deflate', 15), 415),
    ('a negative length', send(post(b'abc', JSON, -1)), 400),
    ('a length of 2^64-1', send(post(b'abc', JSON, 2**64 - 1)), 413),
    ('a length of 2^63-1', send(post(b'abc', JSON, 2**63 - 1)), 413),
    ('two lengths', send(post(b'abc' + SMUGGLED, JSON + b'Content-Length: 3\r\n', 40)), 400),
    ('a length and chunks', send(post(b'0\r\n\r\n' + SMUGGLED,
                                      JSON + b'Transfer-Encoding: chunked\r\n', 5)), 411),
    ('a GET with a request as its body', send(get(headers=HOST + b'Content-Length: %d\r\n'
                                                  % len(SMUGGLED)) + SMUGGLED), 400),
    ('a header REMOTE_ADDR', send(get(headers=HOST + b'REMOTE_ADDR: 6.6.6.6\r\n')), 200),
    ('two Hosts', send(get(headers=HOST + b'Host: evil.example\r\n')), 400),
    ('no Host', send(get(headers=b'')), 400),
    ('a foreign Host', send(get(headers=b'Host: evil.example\r\n')), 421),
    ('a foreign Origin', send(get(headers=HOST + b'Origin: http://evil.example\r\n')), 403),
    ('an encoded line break in a header', send(get(headers=HOST + b'X-In: a%0d%0aSet-Cookie: e\r\n')),
     200),
    ('a path upwards', send(get(b'/%2e%2e/%2e%2e/etc/passwd')), 404),
    ('an encoded zero byte in the path', send(get(b'/health%00x')), 404),
    ('a path of 8 kB', send(get(b'/a/' + b'b' * 8000)), 414),
    ('a multipart file name of 200 kB', multipart(b'Content-Disposition: form-data; name="a"; '
                                                  b'filename*=' + b'U' * 200000), 415),
    ('a multipart name of 200 kB', multipart(b'Content-Disposition: form-data; name="'
                                             + b'n' * 200000 + b'"'), 415),
    ('100,000 part headers', multipart(b'\r\n'.join([b'X: y'] * 100000)), 415),
    ('a form', send(post(b'a=b', b'Content-Type: application/x-www-form-urlencoded\r\n')), 415),
    ('a million brackets', send(post(b'[' * 1000000)), 400),
    ('64 heads sent a byte at a time', crowd(64, b'G', b'E'), 200),
    ('64 idle connections', crowd(64, get()), 200),
    ('200 idle connections', crowd(200, b''), 200),
    ('64 bodies sent a byte at a time', crowd(64, OPEN_POST + b'Content-Length: 1000\r\n\r\n', b'x'),
     200),
    ('200 bodies that never end', crowd(200, OPEN_POST + b'Content-Length: 100\r\n\r\n', b''), 200),
    ('64 halves of large bodies', crowd(64, OPEN_POST + b'Content-Length: %d\r\n\r\n' % MIB
                                        + b' ' * (MIB // 2)), 200),
    ('400 connections opened and dropped', drops, 200),
]


def attacks_with(big_answer, failing):
    """Those that need a call with a big answer, and one that fails."""
    ranges = JSON + b'Range: bytes=' + b','.join([b'0-'] * 2000) + b'\r\n'
    return [('2000 overlapping ranges of a big answer', send(post(big_answer, ranges)), 200),
            ('a call that fails', send(post(failing)), 200),
            ('16 who read a byte at a time', crowd(16, post(big_answer)), 200)]


# What must not come back, whatever is sent.
SECRETS = (b'EXCEPTION', b'secret', b'Set-Cookie', b'6.6.6.6', b'content-range', b'Content-Range')


def judge(server, answer, expected, most_growth=MOST_GROWTH_MIB):
    problems = []
    if server.process.poll() is not None:
        return [f'the server died ({server.process.returncode})']
    if not answer.startswith(b'HTTP/1.1 %d ' % expected):
        problems.append(f'answered {answer[:60]!r} instead of {expected}')
    if answer.count(b'HTTP/1.1 ') > 1:
        problems.append('answered twice')
    problems += [f'said {secret!r}' for secret in SECRETS if secret in answer]
    grown = server.memory() - server.before
    if grown >= most_growth:
        problems.append(f'grew by {grown:.1f} MiB')
    if server.health() > SLOWEST_OTHER_MS:
        problems.append('others are not served any more')
    return problems


def main():
    failed = 0
    attacks = ATTACKS + attacks_with(call('big_answer'), call('fail_inside'))
    for name, attack, expected in attacks:
        # Each of those who read slowly holds an answer of a megabyte, which needs room for copies
        # while it is made.
        more = 16 * 4 if name.startswith('16 who') else 0
        with Server(fixture) as server:
            problems = judge(server, attack(server), expected, MOST_GROWTH_MIB + more)
            grown = server.memory() - server.before if server.process.poll() is None else 0
        failed += bool(problems)
        print(f'{name:42s} {"ok" if not problems else "; ".join(problems)}  +{grown:.1f} MiB',
              flush=True)
    print(f'{len(attacks) - failed} of {len(attacks)} attacks came to nothing')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
