"""
Indexes texts and asks: tantivy, and SQLite with FTS5 (words, and trigrams).

texts.py <folder>: reads texts.txt, one a line, and queries.json, {"queries", "parts"}. Prints {"indexes", "questions"} with
seconds of the processor; a line of standard error for what is not installed.
"""

import json
import os
import sqlite3
import sys
import time

folder = sys.argv[1]
texts = open(os.path.join(folder, "texts.txt"), encoding="utf8").read().split("\n")
asked = json.load(open(os.path.join(folder, "queries.json"), encoding="utf8"))
indexes, questions = [], []
ROUNDS = 3


def cpu():
    return time.process_time()


def ask(who, question, queries, answer):
    for query in queries:
        answer(query)
    times = []
    for query in queries:
        begin = cpu()
        for _ in range(ROUNDS):
            answer(query)
        times.append((cpu() - begin) / ROUNDS * 1000)
    times.sort()
    p95 = times[min(len(times) - 1, int(len(times) * 0.95))]
    questions.append({"who": who, "question": question, "p50Ms": times[len(times) // 2], "p95Ms": p95})


def indexed(who, seconds, size):
    indexes.append({"who": who, "textsPerSecond": len(texts) / seconds, "bytesEach": size / len(texts)})


def with_tantivy():
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False, index_option="freq")
    builder.add_integer_field("id", stored=True)
    schema = builder.build()
    path = os.path.join(folder, "tantivy")
    os.makedirs(path)
    begin = cpu()
    index = tantivy.Index(schema, path=path)
    writer = index.writer(200_000_000, 1)
    for number, text in enumerate(texts):
        writer.add_document(tantivy.Document(text=text, id=number))
    writer.commit()
    writer.wait_merging_threads()
    seconds = cpu() - begin
    indexed("tantivy", seconds, sum(os.path.getsize(os.path.join(path, name)) for name in os.listdir(path)))
    index.reload()
    searcher = index.searcher()
    for question, between in (("any word, best 10", " "), ("all words, best 10", " AND ")):
        parsed = {query: index.parse_query(between.join(query.split()), ["text"]) for query in asked["queries"]}
        ask("tantivy", question, asked["queries"], lambda query: searcher.search(parsed[query], 10, count=False))


def with_fts5():
    for who, tokenizer in (("FTS5", "unicode61"), ("FTS5, trigrams", "trigram")):
        path = os.path.join(folder, f"{tokenizer}.db")
        base = sqlite3.connect(path)
        base.execute(f"CREATE VIRTUAL TABLE t USING fts5(text, content='', tokenize='{tokenizer}')")
        begin = cpu()
        with base:
            base.executemany("INSERT INTO t(rowid, text) VALUES (?, ?)", enumerate(texts, 1))
        base.execute("INSERT INTO t(t) VALUES ('optimize')")
        base.commit()
        indexed(who, cpu() - begin, os.path.getsize(path))
        if tokenizer == "trigram":
            find = "SELECT rowid FROM t WHERE t MATCH ?"
            ask(who, "part of a text, all", asked["parts"], lambda part: base.execute(find, (f'"{part}"',)).fetchall())
            continue
        best = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10"
        for question, between in (("any word, best 10", " OR "), ("all words, best 10", " AND ")):
            ask(
                who,
                question,
                asked["queries"],
                lambda query: base.execute(best, (between.join(f'"{word}"' for word in query.split()),)).fetchall(),
            )


for run in (with_tantivy, with_fts5):
    try:
        run()
    except (ImportError, sqlite3.OperationalError) as error:
        print(f"{run.__name__[5:]} is left out: {error}", file=sys.stderr)
print(json.dumps({"indexes": indexes, "questions": questions}))
