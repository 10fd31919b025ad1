#!/usr/bin/env bash
# Sat4j decides whether eight pigeons fit into seven holes, and a hundred small random formulas: a program of a second or two.
. "$(dirname "$0")/common.sh"
core=$(jar org.ow2.sat4j:org.ow2.sat4j.core:2.3.6)
python3 - "$work" <<'P'
import random, sys
n = 8
clauses = [[p * (n - 1) + h + 1 for h in range(n - 1)] for p in range(n)]
clauses += [[-(p * (n - 1) + h + 1), -(q * (n - 1) + h + 1)] for h in range(n - 1) for p in range(n) for q in range(p)]
open(f"{sys.argv[1]}/pigeons.cnf", "w").write(f"p cnf {n * (n - 1)} {len(clauses)}\n" + "".join(" ".join(map(str, c)) + " 0\n" for c in clauses))
r = random.Random(7)
v, m = 150, 620
lines = [" ".join(str(x * r.choice((1, -1))) for x in r.sample(range(1, v + 1), 3)) + " 0\n" for _ in range(m)]
open(f"{sys.argv[1]}/random.cnf", "w").write(f"p cnf {v} {m}\n" + "".join(lines))
P
answers=
for formula in pigeons random; do
    run_java -Xmx256m -cp "$core" org.sat4j.BasicLauncher "$work/$formula.cnf" > "$work/out" 2> "$work/err" || true
    answers="$answers $(grep '^s ' "$work/out")" || { tail -5 "$work/err" >&2; exit 1; }
done
result "$answers"
