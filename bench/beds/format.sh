#!/usr/bin/env bash
# google-java-format formats 700 source files of BouncyCastle's provider.
. "$(dirname "$0")/common.sh"
formatter=$(jar com.google.googlejavaformat:google-java-format:1.22.0:all-deps)
sources=$(jar org.bouncycastle:bcprov-jdk18on:1.78.1:sources)
unzip -q "$sources" 'org/*' -d "$work/src"
find "$work/src" -name '*.java' | LC_ALL=C sort | head -700 > "$work/files"
exports=()
for package in api code file parser tree util; do
    exports+=(--add-exports "jdk.compiler/com.sun.tools.javac.$package=ALL-UNNAMED")
done
run_java -Xmx512m "${exports[@]}" -jar "$formatter" --replace "@$work/files" > "$work/log" 2>&1 || { tail -5 "$work/log" >&2; exit 1; }
result "sha=$(xargs cat < "$work/files" | sha256sum | cut -c1-16)"
