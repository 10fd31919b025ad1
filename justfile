# Daily commands. `just` alone lists them.

# List the recipes
default:
    @just --list

# Build the CLI and the agent (target/release/mayfly, target/release/libmayfly.so) and the Java API
build: api
    cargo build --release

# Build the Java API, target/mayfly-api.jar (needs a JDK)
api:
    profiler-java/api/build

# Build the JUnit 5 extension, target/mayfly-junit5.jar (needs a JDK, and Maven to fetch JUnit)
junit5:
    profiler-java/junit5/build

# Build the profiler for JMH, target/mayfly-jmh.jar (needs a JDK, and Maven to fetch JMH)
jmh:
    profiler-java/jmh/build

# Build the plugin for Spark, target/mayfly-spark.jar (needs a JDK 17, and pip to fetch Spark)
spark:
    profiler-java/spark/build

# Build the scopes per endpoint, target/mayfly-endpoints.jar (needs a JDK 17, and Maven to fetch APIs of web frameworks)
endpoints:
    profiler-java/endpoints/build

# Build the web console, target/mayfly-console-{jakarta,javax}.war (needs a JDK, and Maven to fetch Tomcat)
console:
    profiler-java/web/build

# Run the tests, end to end ones each on one of two JVMs found; what takes long is left to CI, and named
test *ARGS:
    cargo test --workspace {{ ARGS }}

# Run every test, end to end ones in all their variants on one JVM of each release found
matrix *ARGS:
    MAYFLY_JVMS=all cargo test --workspace {{ ARGS }}

# Run only the end to end tests, each on one of two JVMs found
e2e *ARGS:
    cargo test -p mayfly-tests {{ ARGS }}

# Run every command of README and of the guide
guide:
    cargo test -p mayfly-tests --test e2e documented::

# Fetch small JVMs 11, 17, 21 and 25 for the tests into target/jvms
jvms:
    scripts/fetch-jvms

# Check format and lints, as CI does
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Measure what profiling costs (options: `just bench --help`)
bench *ARGS:
    cargo build --release
    cargo run --release -p mayfly-bench -- {{ ARGS }}

# Soak: every mode on two JVMs, or those of MAYFLY_JVMS, for so long; memory must stay flat, nothing hang, results stay the same
soak MINUTES="60" *ARGS:
    cargo build --release
    cargo run --release -p mayfly-bench -- soak --minutes {{ MINUTES }} {{ ARGS }}

# Run a small Java program under the agent: live histogram, then the report
demo *ARGS:
    cargo run -- demo {{ ARGS }}

# Try every order of the steps of threads that share nurseries, and the ring of collections (with the crate loom)
loom:
    RUSTFLAGS="--cfg mayfly_loom" cargo test -p mayfly-tracking --lib --target-dir target/loom in_every_order

# Look for undefined behaviour and data races where threads share slabs and nurseries (needs Miri: rustup component add miri --toolchain nightly)
miri SEEDS="8":
    # From outside, as Miri and .cargo/config.toml would each have tests started by their own program.
    cd / && MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-permissive-provenance -Zmiri-many-seeds=0..{{ SEEDS }}" \
        cargo +nightly miri test --manifest-path "{{ justfile_directory() }}/Cargo.toml" -p mayfly-tracking --lib \
        --target-dir "{{ justfile_directory() }}/target/miri" at_once

# Read changed class files, dumps, indexes, recordings and messages, for so many seconds of each kind; what harms a reader is kept in target/fuzz
fuzz SECONDS="60":
    MAYFLY_FUZZ_SECONDS={{ SECONDS }} cargo test --release -p mayfly-tests --test fuzz -- --nocapture

# What may be depended on: licences, sources, known faults if their list can be fetched (needs cargo-deny: cargo install cargo-deny)
deny:
    cargo deny check bans licenses sources
    if git ls-remote -q https://github.com/RustSec/advisory-db HEAD > /dev/null 2>&1; then cargo deny check advisories; \
        else echo "skipped: cargo deny check advisories, as its list can't be fetched"; fi

# What takes too long for each change: every order of threads, undefined behaviour, fuzzing for minutes, documentation without warnings, dependencies
nightly: loom miri (fuzz "300") deny
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# What CI runs: set-up, lint, tests
ci:
    .ci/run

# How far estimates of the sampled engine are off, in their own errors, over 30 runs a setting and JVM: minutes
sampled-errors RUNS="30":
    MAYFLY_RUNS={{ RUNS }} cargo test -p mayfly-tests --test e2e sampled errors_hold_over_many_runs -- --ignored --nocapture

# Attach, start, watch, fetch and stop on each JVM, samples a hundred times, exact counts twenty: memory, Metaspace, what is left of the cost
rounds:
    cargo test -p mayfly-tests --test e2e rounds:: -- --ignored --nocapture

# Ask whether real programs leak, by recordings and by PID (MAYFLY_BEDS: the folder of their scripts): minutes
leaks-on-beds:
    cargo test -p mayfly-tests --test e2e leaks_on_beds -- --ignored --nocapture --test-threads 1

# What `mayfly diff` says of a real program, unchanged and with 5 % more at one site (MAYFLY_BEDS): minutes
diff-on-beds:
    cargo test -p mayfly-tests --test e2e diff_on_beds -- --ignored --nocapture

# What `mayfly advise` predicts of real programs, and what the JVM then promotes (MAYFLY_BEDS): minutes
advice-on-beds:
    cargo test -p mayfly-tests --test e2e advise_on_beds -- --ignored --nocapture

# Make the picture in README.md of a run of the demo
screenshot:
    cargo build --release
    scripts/screenshot

# What the page of 100,000 stacks, and of a recording of 1 GB, takes
page-cost *ARGS:
    cargo build --release
    cargo run --release -p mayfly-bench -- page {{ ARGS }}

# Build what is handed out, into target/packages: archives, wheels, .deb and .rpm, a Maven repository, an image's recipe, for x86-64 and aarch64
dist *ARCHS:
    scripts/dist/build {{ ARCHS }}

# Try each package that `just dist` made, where there is nothing but a JVM: glibc, musl, and aarch64 by qemu
dist-test:
    scripts/fetch-platforms
    cargo test -p mayfly-tests --test e2e platforms::

# The same by its former name
platforms: dist-test
