"""A stand-in for an object store: as much of S3's protocol as is used, kept in memory, with signatures checked.

usage: object_server.py [WORD...] [KEY CERTIFICATE FILE PORT]

The first line that it prints is its port. It ends with its input. With a key and a certificate it speaks TLS, and has
what was in the file when it ended the last time. Each word makes it another store:

    ignores-conditions  takes each write
    floods              lists more names than any circle has
    redirects, endless  answers in such a way
    races, loses        says at the first write of a name that it meets another one, which has no effect, or comes first
    conflicts           says so at every write
    busy                has no time for the first request of each kind and name
    tells               prints a letter for each request: L for a list, and G, P or D for the method
"""

import contextlib
import hashlib
import hmac
import os
import pickle
import re
import ssl
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEYS = {"AKEY": "SKEY"}
PAGE = 100
IGNORES_CONDITIONS = "ignores-conditions" in sys.argv[1:]
HOSTILE = {"floods", "redirects", "endless"} & set(sys.argv[1:])
BUSY = {"races", "loses", "conflicts", "busy"} & set(sys.argv[1:])
TELLS = "tells" in sys.argv[1:]
objects, asked, lock = {}, set(), threading.Lock()
KEY, CERTIFICATE, FILE, PORT = sys.argv[-4:] if len(sys.argv) > 4 else (None, None, None, 0)


def signature(secret, day, scope, canonical):
    """The signature of a request (AWS, version 4)."""
    key = f"AWS4{secret}".encode()
    for word in scope:
        key = hmac.digest(key, word.encode(), "sha256")
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = "\n".join(["AWS4-HMAC-SHA256", day, "/".join(scope), digest])
    return hmac.new(key, text.encode(), "sha256").hexdigest()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def is_signed(self, body):
        """Whether the request is its key's: its method, path, parameters, headers and body."""
        parts = re.match(
            r"AWS4-HMAC-SHA256 Credential=([^/]+)/([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)",
            self.headers.get("Authorization", ""),
        )
        digest = self.headers.get("x-amz-content-sha256", "")
        if not parts or parts[1] not in KEYS or digest != hashlib.sha256(body).hexdigest():
            return False
        path, _, query = self.path.partition("?")
        names = parts[3].split(";")
        headers = "".join(f"{name}:{self.headers.get(name, '').strip()}\n" for name in names)
        canonical = "\n".join([self.command, path, query, headers, parts[3], digest])
        scope, day = parts[2].split("/"), self.headers.get("x-amz-date", "")
        return hmac.compare_digest(parts[4], signature(KEYS[parts[1]], day, scope, canonical))

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def be_hostile(self):
        """Answers with what no store should."""
        if "floods" in HOSTILE:
            return self.answer(200, flood(urllib.parse.parse_qs(self.path.partition("?")[2])))
        if "redirects" in HOSTILE:
            self.send_response(307)
            self.send_header("Location", f"http://localhost:{server.server_port}/bucket/elsewhere")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(bytes(1 << 16))

    def hinder(self, path):
        """Answers as a store that has much to do; whether it did."""
        is_first = (self.command, self.path) not in asked
        asked.add((self.command, self.path))
        if BUSY == {"busy"} and is_first:
            self.answer(503, b"<Error><Code>SlowDown</Code></Error>")
            return True
        if self.command != "PUT" or BUSY == {"busy"} or not (is_first or BUSY == {"conflicts"}):
            return False
        if BUSY == {"loses"}:
            objects[path] = b"other"
        self.answer(409, b"<Error><Code>ConditionalRequestConflict</Code></Error>")
        return True

    def handle_method(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if HOSTILE:
            with contextlib.suppress(OSError):
                self.be_hostile()
            self.close_connection = True
            return None
        if not self.is_signed(body):
            return self.answer(403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>")
        path, _, query = self.path.partition("?")
        with lock:
            if TELLS:
                print("L" if query else self.command[0], end="", flush=True)
            if BUSY and self.hinder(path):
                return None
            if query:
                return self.answer(200, listing(urllib.parse.parse_qs(query)))
            if self.command == "PUT":
                if path in objects and self.headers.get("If-None-Match") == "*" and not IGNORES_CONDITIONS:
                    return self.answer(412)
                objects[path] = body
                return self.answer(200)
            if self.command == "DELETE":
                objects.pop(path, None)
                return self.answer(204)
            return self.answer(200, objects[path]) if path in objects else self.answer(404)

    do_GET = do_PUT = do_DELETE = handle_method


def listing(query):
    """A page of the names with a prefix, in the bucket of all."""
    prefix, after = query["prefix"][0], query.get("continuation-token", [""])[0]
    names = sorted(path.split("/", 2)[2] for path in objects)
    names = [name for name in names if name.startswith(prefix) and name > after]
    page = names[:PAGE]
    keys = "".join(f"<Contents><Key>{name}</Key></Contents>" for name in page)
    more = len(names) > PAGE
    token = f"<NextContinuationToken>{page[-1]}</NextContinuationToken>" if more else ""
    text = f"<ListBucketResult><IsTruncated>{str(more).lower()}</IsTruncated>{token}{keys}</ListBucketResult>"
    return text.encode()


def flood(query):
    """Four large pages, and then the list ends."""
    page = int(query.get("continuation-token", ["0"])[0])
    log = query["prefix"][0] + "0" * 32 + "/"
    names = range(page * 30_000 + 1, (page + 1) * 30_000)
    keys = "".join(f"<Key>{log}{number:016x}</Key>" for number in names)
    more = f"<NextContinuationToken>{page + 1}</NextContinuationToken>"
    return f"<R><IsTruncated>{str(page < 3).lower()}</IsTruncated>{more}{keys}</R>".encode()


server = ThreadingHTTPServer(("127.0.0.1", int(PORT)), Handler)
if FILE:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE, KEY)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    # A client that does not believe the certificate hangs up.
    server.handle_error = lambda *words: None
    if os.path.exists(FILE):
        with open(FILE, "rb") as kept:
            objects.update(pickle.load(kept))
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"{server.server_port:05}", flush=True)
sys.stdin.read()
if FILE:
    with lock, open(FILE, "wb") as kept:
        pickle.dump(objects, kept)
os._exit(0)
