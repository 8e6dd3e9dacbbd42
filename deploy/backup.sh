#!/bin/sh
# Copies a store while it is in use, checks the copy, and removes the oldest copies beyond a number.
#   backup.sh [store]
# SVC_STORE_PATH      the store; an argument stands above it, and .svc/svc.db holds without both
# SVC_BACKUPS         the folder of the copies (default: backups); of this store alone
# SVC_BACKUPS_KEPT    how many sound copies stay (default: 14)
# SVC_BACKUP_METRICS  a file to write figures into, for the textfile collector of the node exporter
set -eu

store=${1:-${SVC_STORE_PATH:-.svc/svc.db}}
folder=${SVC_BACKUPS:-backups}
kept=${SVC_BACKUPS_KEPT:-14}
case $kept in
  '' | *[!0-9]* | 0*) echo "SVC_BACKUPS_KEPT: $kept is no number from 1 on" >&2; exit 2 ;;
esac

mkdir -p "$folder"
copy=$folder/svc-$(date -u +%Y%m%dT%H%M%SZ).db
# The copy appears under its name when it is whole; a name that is taken is refused.
svc backup "$copy" --db "$store" --progress none
if ! svc verify --db "$copy" --progress none; then
  mv "$copy" "$copy.unsound"
  rm -f "$copy-lock"
  echo "the copy is not sound: $copy.unsound; older ones stay" >&2
  exit 1
fi
rm -f "$copy-lock"

# Names sort by time, so the oldest stand first.
set -- "$folder"/svc-[0-9]*T[0-9]*Z.db
while [ $# -gt "$kept" ]; do
  rm -f "$1" "$1-lock"
  echo "removed $1"
  shift
done

if [ -n "${SVC_BACKUP_METRICS:-}" ]; then
  {
    echo '# HELP svc_backup_last_success_timestamp_seconds When the last sound backup was made'
    echo '# TYPE svc_backup_last_success_timestamp_seconds gauge'
    echo "svc_backup_last_success_timestamp_seconds $(date +%s)"
    echo '# HELP svc_backup_size_bytes Size of the last sound backup'
    echo '# TYPE svc_backup_size_bytes gauge'
    echo "svc_backup_size_bytes $(($(wc -c < "$copy")))"
  } > "$SVC_BACKUP_METRICS.part"
  chmod 644 "$SVC_BACKUP_METRICS.part"
  mv "$SVC_BACKUP_METRICS.part" "$SVC_BACKUP_METRICS"
fi
