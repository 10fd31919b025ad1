# What the bed scripts share; sourced. A bed runs a real program by $JAVA $JAVA_OPTS_EXTRA and prints one line, BED-RESULT NAME …, which is
# the same with and without an agent. BEDS: folder of downloads (target/beds). Programs come from Maven Central, by name and version.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
beds=${BEDS:-$here/../../target/beds}
java=${JAVA:-java}
name=$(basename "$0" .sh)
mkdir -p "$beds/jars"
work=$(mktemp -d "$beds/$name.XXXXXX")
trap 'rm -rf "$work"' EXIT

# jar GROUP:NAME:VERSION[:CLASSIFIER]: its file, fetched once.
jar() {
    local group artifact version classifier
    IFS=: read -r group artifact version classifier <<< "$1"
    local file=$beds/jars/$artifact-$version${classifier:+-$classifier}.jar
    if [ ! -s "$file" ]; then
        mvn -q -B -Dstyle.color=never dependency:copy -Dartifact="$group:$artifact:$version:jar${classifier:+:$classifier}" \
            -DoutputDirectory="$beds/jars" -Dmdep.useBaseVersion=true > "$work/fetched" 2>&1 || { cat "$work/fetched" >&2; return 1; }
    fi
    printf '%s\n' "$file"
}

# The program; words of JAVA_OPTS_EXTRA are options.
run_java() {
    # shellcheck disable=SC2086
    "$java" ${JAVA_OPTS_EXTRA:-} "$@"
}

result() {
    printf 'BED-RESULT %s %s\n' "$name" "$*"
}
