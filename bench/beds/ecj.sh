#!/usr/bin/env bash
# Eclipse's compiler for Java compiles the sources of BouncyCastle's provider, some 2,900 files.
. "$(dirname "$0")/common.sh"
ecj=$(jar org.eclipse.jdt:ecj:3.33.0)
sources=$(jar org.bouncycastle:bcprov-jdk18on:1.78.1:sources)
unzip -q "$sources" 'org/*' -d "$work/src"
find "$work/src" -name '*.java' | LC_ALL=C sort > "$work/files"
run_java -Xmx1g -cp "$ecj" org.eclipse.jdt.internal.compiler.batch.Main -proc:none -nowarn --release 8 -encoding UTF-8 \
    -d "$work/out" "@$work/files" > "$work/log" 2>&1 || { tail -5 "$work/log" >&2; exit 1; }
classes=$(cd "$work/out" && find . -name '*.class' | LC_ALL=C sort)
result "classes=$(wc -l <<< "$classes") sha=$(cd "$work/out" && xargs sha256sum <<< "$classes" | sha256sum | cut -c1-16)"
