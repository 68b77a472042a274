"""The program of the process that holds the model: started by `server.py`, as a file.

It imports nothing but the standard library and xllamacpp. One JSON object comes on standard input:
`path`, `context_tokens`, `threads`, `key`. When the model is loaded one JSON line with the
`address` goes to standard output; what the native library prints goes to standard error. It ends
when standard input does: with its parent, whatever becomes of that.
"""

from __future__ import annotations

import json
import os
import sys

_ERRORS_ONLY = 1


def main() -> None:
    """Load the model, say where it answers, and stay until standard input ends."""
    order = json.loads(sys.stdin.readline())
    ready = os.dup(1)
    os.dup2(2, 1)
    from xllamacpp import CommonParams, Server  # noqa: PLC0415  # may print: after the redirection

    params = CommonParams()
    params.model.path = order["path"]
    params.n_ctx = order["context_tokens"]
    params.cpuparams.n_threads = order["threads"]
    params.cpuparams_batch.n_threads = order["threads"]
    params.n_parallel = 1
    params.cache_ram_mib = 0  # by default it grows to gigabytes
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [order["key"]]  # nobody else on this machine may ask
    params.cors_origins = ""
    params.ui = False
    params.endpoint_slots = False
    params.prefill_assistant = False
    params.verbosity = _ERRORS_ONLY
    server = Server(params)
    os.write(ready, json.dumps({"address": server.listening_address}).encode() + b"\n")
    sys.stdin.read()
    os._exit(0)  # the native library's own ending takes its time and says so


if __name__ == "__main__":
    main()

__all__ = ["main"]
