"""The rules of the benchmark as recursive queries of DuckDB on one thread: the least CPU milliseconds and how many facts are derived.

    python3 rules_duckdb.py closure|generation|negation <edge.csv> <node.csv> <rounds>
"""

import json
import sys
import time

import duckdb

REACH = """
WITH RECURSIVE reach(a, b) AS (
    SELECT a, b FROM edge
    UNION
    SELECT reach.a, edge.b FROM reach JOIN edge ON reach.b = edge.a
)
"""
PROGRAMS = {
    "closure": REACH + "SELECT count(*) FROM reach",
    "generation": """
        WITH RECURSIVE same(a, b) AS (
            SELECT x.b, y.b FROM edge x JOIN edge y ON x.a = y.a
            UNION
            SELECT x.b, y.b FROM same JOIN edge x ON same.a = x.a JOIN edge y ON same.b = y.a
        ) SELECT count(*) FROM same
    """,
    "negation": REACH
    + """
        SELECT (SELECT count(*) FROM reach) + (
            SELECT count(*) FROM (SELECT x.a, y.a AS b FROM node x, node y) pair ANTI JOIN reach USING (a, b)
        )
    """,
}


def main():
    program, edges, nodes, rounds = sys.argv[1:]
    connection = duckdb.connect()
    connection.execute("PRAGMA threads = 1")
    options = "header = false, delim = ',', auto_detect = false"
    connection.execute(f"CREATE TABLE edge AS SELECT DISTINCT * FROM read_csv('{edges}', {options}, columns = {{'a': 'INT', 'b': 'INT'}})")
    connection.execute(f"CREATE TABLE node AS SELECT DISTINCT * FROM read_csv('{nodes}', {options}, columns = {{'a': 'INT', 'same': 'INT'}})")
    least, found = None, 0
    for _ in range(int(rounds)):
        begin = time.process_time()
        (found,) = connection.execute(PROGRAMS[program]).fetchone()
        used = (time.process_time() - begin) * 1000
        least = used if least is None else min(least, used)
    print(json.dumps({"cpuMs": least, "found": found}))


main()
