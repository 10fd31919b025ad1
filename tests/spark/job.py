"""Three stages on two executors, of which one is killed on the way: job.py MAYFLY RECORDINGS COUNTERS.

Waits until the recording of executor 0 has all that its JVM counted when its last task ended, kills it, and goes on. Without arguments
nobody is killed. Prints the results.
"""
import glob, json, os, signal, subprocess, sys, time

from pyspark.sql import SparkSession


def recorded(mayfly, recordings):
    """Bytes that the JVM of executor 0 counted, as its recording says; 0 if there is none."""
    for file in glob.glob(f"{recordings}/*/*-executor-0.mayfly"):
        said = subprocess.run([mayfly, "report", "--json", file], capture_output=True).stdout
        return json.loads(said)["trust"]["jvm_allocated_bytes"] or 0 if said else 0
    return 0


def executor(port):
    """The process of executor 0 of the driver at that port: applications that start in the same second have the same id."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline") as file:
                words = file.read().split("\0")
        except OSError:
            continue
        options = dict(zip(words, words[1:]))
        if options.get("--executor-id") == "0" and options.get("--driver-url", "").endswith(f":{port}"):
            return int(process)
    raise SystemExit("executor 0 is not there")


def kill(port, mayfly, recordings, counters):
    with open(f"{counters}/0.task") as file:
        counted = int(file.read())
    give_up = time.monotonic() + 60
    while recorded(mayfly, recordings) < counted:
        if time.monotonic() > give_up:
            raise SystemExit("the recording of executor 0 is not brought up to date")
        time.sleep(0.1)
    os.kill(executor(port), signal.SIGKILL)


spark = SparkSession.builder.appName("job").getOrCreate()
kept = spark.range(0, 400000, 1, 2).selectExpr("id", "concat('user', cast(id as string)) name").cache()
print("KEPT", kept.count(), flush=True)
if len(sys.argv) > 1:
    kill(spark.sparkContext.getConf().get("spark.driver.port"), *sys.argv[1:])
gone = spark.range(0, 4000000, 1, 2).selectExpr("concat('u', cast(id % 500 as string)) name").distinct()
print("GONE", gone.count(), flush=True)
spark.stop()
