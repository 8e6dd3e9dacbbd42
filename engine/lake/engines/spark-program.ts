/**
 * The Python program that runs Spark for us: it makes views of the files that the first line names, then answers a question
 * a line with lines of rows. Decimals come as text, doubles in the fewest digits that give them again.
 */

export const SPARK_PROGRAM = String.raw`
import decimal, json, sys

def reply(message):
    sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")
    sys.stdout.flush()

def cell(value):
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    return str(value)

def main():
    setup = json.loads(sys.stdin.readline())
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        reply({"missing": True})
        return
    try:
        builder = SparkSession.builder.appName("svc").master(setup["master"])
        for name, value in setup["settings"].items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        for table, view in setup["tables"].items():
            if view["files"]:
                frame = spark.read.parquet(*view["files"])
            else:
                frame = spark.createDataFrame([], view["schema"])
            frame.createOrReplaceTempView(table)
    except Exception as error:
        reply({"error": str(error)})
        return
    reply({"ready": True})
    for line in sys.stdin:
        question = json.loads(line)
        try:
            batch = []
            for row in spark.sql(question["sql"]).toLocalIterator():
                batch.append([cell(value) for value in row])
                if len(batch) == 1000:
                    reply({"rows": batch})
                    batch = []
            reply({"rows": batch})
            reply({"end": True})
        except Exception as error:
            reply({"error": str(error)})

main()
`;
