"""Answers questions in Spark SQL, of a JSON list, in the running folder; prints the rows as JSON."""
import json, sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("questions").getOrCreate()
rows = [[list(row) for row in spark.sql(question).collect()] for question in json.loads(sys.argv[1])]
print("ROWS", json.dumps(rows, default=str), flush=True)
spark.stop()
