#!/bin/sh
# Shows that the newest backup can be restored: restores it into a folder of its own, checks every block, asks it,
# writes to it, and removes it again. The store itself is not touched.
#   restore-drill.sh [query]
# query               an ASK that has to be true of the restored store (default: that it holds a statement)
# SVC_BACKUPS         the folder of the backups (default: backups)
# SVC_DRILL           where the folder of the drill is made (default: the folder of the backups)
set -eu

folder=${SVC_BACKUPS:-backups}
question=${1:-'ASK { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }'}

set -- "$folder"/svc-[0-9]*T[0-9]*Z.db
[ -f "$1" ] || { echo "no backup in $folder" >&2; exit 1; }
while [ $# -gt 1 ]; do shift; done
newest=$1

scratch=$(mktemp -d "${SVC_DRILL:-$folder}/drill-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
restored=$scratch/restored.db

echo "backup: $newest"
cp "$newest" "$restored"
svc verify --db "$restored" --progress none
svc stats --db "$restored" --json | sed -n 's/.*"last_transaction":{\([^}]*\)}.*/last transaction: \1/p'
answer=$(svc read "$question" --db "$restored")
[ "$answer" = true ] || { echo "not true of the restored store: $question" >&2; exit 1; }
svc update 'INSERT DATA { <urn:restore-drill> <urn:restore-drill:written> true }' --db "$restored" > "$scratch/written"
svc verify --db "$restored" --progress none > "$scratch/verified"
echo 'restored: it answers, and takes writes'
