"""The line protocol over native Oxigraph: one JSON object a line in; out, a JSON line with the length, then the bytes.

The store is on disk. Results are encoded by Oxigraph itself.
"""

import io
import json
import sys
import time

import pyoxigraph

ERROR_CHARACTERS_MAX = 500


def load(store, path):
    """A bulk load, which writes sorted files beside the transaction log, as Oxigraph's own loader does."""
    form = pyoxigraph.RdfFormat.N_QUADS if path.endswith(".nq") else pyoxigraph.RdfFormat.N_TRIPLES
    store.bulk_load(path=path, format=form, lenient=True)
    store.optimize()
    store.flush()


def query(store, text):
    result = store.query(text)
    if isinstance(result, pyoxigraph.QueryTriples):
        return result.serialize(format=pyoxigraph.RdfFormat.N_TRIPLES)
    return result.serialize(format=pyoxigraph.QueryResultsFormat.JSON)


def main():
    store = pyoxigraph.Store(sys.argv[1])
    out = sys.stdout.buffer
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "quit":
            break
        begin = time.perf_counter()
        body = b""
        head = {"id": request.get("id"), "ok": True}
        try:
            if request["op"] == "load":
                load(store, request["file"])
                head["triples"] = len(store)
            else:
                body = query(store, request["query"]) or b""
        except Exception as error:  # Whatever goes wrong is the answer to this request.
            body = b""
            head = {"id": request.get("id"), "ok": False, "error": str(error)[:ERROR_CHARACTERS_MAX]}
        head["bytes"] = len(body)
        head["ms"] = (time.perf_counter() - begin) * 1000
        out.write(json.dumps(head).encode() + b"\n" + body)
        out.flush()


main()
