"""What an engine reads of the tables of a lake, at every snapshot: as JSON, by table and transaction."""

import hashlib
import json
import sys
from pathlib import Path

TABLES = ["facts", "history", "terms", "transactions"]
ENGINE, LAKE = sys.argv[1], sys.argv[2]
COLUMNS = {
    "facts": "g, s, p, o, o_num, tx_from, tx_to, valid_from, valid_to",
    "history": "g, s, p, o, o_num, tx_from, tx_to, valid_from, valid_to",
    "terms": "id, kind, text, datatype, lang, num, zoned, bool",
    "transactions": "tx, at",
}


def metadata_of(table):
    folder = Path(LAKE) / table / "metadata"
    version = (folder / "version-hint.text").read_text()
    return folder / f"v{version}.metadata.json"


def snapshots_of(table):
    content = json.loads(metadata_of(table).read_text())
    return [(one["summary"]["svc.tx"], one["snapshot-id"]) for one in content["snapshots"]]


def told(rows):
    """Rows in one order and one spelling."""
    lines = sorted(json.dumps([shown(value) for value in row]) for row in rows)
    return {"rows": len(lines), "hash": hashlib.sha256("\n".join(lines).encode()).hexdigest()}


def shown(value):
    if isinstance(value, float):
        return "NaN" if value != value else float(value)
    return value


def by_pyiceberg(table, snapshot):
    from pyiceberg.table import StaticTable

    found = StaticTable.from_metadata(str(metadata_of(table))).scan(snapshot_id=snapshot).to_arrow()
    names = COLUMNS[table].split(", ")
    return zip(*[found[name].to_pylist() for name in names]) if found.num_rows else []


def duckdb_reader():
    import glob
    import duckdb

    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    folder = Path(duckdb.__file__).parent.parent
    for path in sorted(glob.glob(f"{folder}/duckdb_extension*/**/*.duckdb_extension", recursive=True)):
        connection.execute(f"LOAD '{path}'")

    def read(table, snapshot):
        source = f"iceberg_scan('{metadata_of(table)}', snapshot_from_id={snapshot}::UBIGINT)"
        # "at" is a word of its SQL.
        names = ", ".join(f'"{name}"' for name in COLUMNS[table].split(", "))
        return connection.execute(f"SELECT {names} FROM {source}").fetchall()

    return read


def spark_reader():
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars", sys.argv[3])
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog")
        .config("spark.sql.catalog.lake.type", "hadoop")
        .config("spark.sql.catalog.lake.warehouse", LAKE)
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")

    def read(table, snapshot):
        rows = session.sql(f"SELECT {COLUMNS[table]} FROM lake.{table} VERSION AS OF {snapshot}").collect()
        return [tuple(row) for row in rows]

    return read


READERS = {"pyiceberg": lambda: by_pyiceberg, "duckdb": duckdb_reader, "spark": spark_reader}
read = READERS[ENGINE]()
answer = {
    table: {tx: told(read(table, snapshot)) for tx, snapshot in snapshots_of(table)} for table in TABLES
}
print(json.dumps(answer))
