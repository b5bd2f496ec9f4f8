#!/bin/sh
# A nightly cron job: imports the deliveries of the day, reports the stock, and writes alerts.
# Arguments: the working folder, with all other files, and the folder of node and petctl.
set -u
cd "$1" || exit 1
PATH=$2:/usr/bin:/bin
PETCTL_API_KEY=$(cat key)
PETCTL_BASE_URL=$(cat url)
export PATH PETCTL_API_KEY PETCTL_BASE_URL

alert() { printf 'nightly: %s\n' "$*" >>alerts; }

# An interrupted import is repeated: it adds only the missing records.
for delivery in deliveries/*.csv; do
  petctl pets import "$delivery" --failed "$delivery.failed" --quiet -o jsonl >>imported.jsonl 2>import.err
  case $? in
    0) mv "$delivery" done/ ;;
    3 | 8) alert "the service cannot be reached; $delivery stays"; exit 75 ;;
    4) alert 'the key is rejected'; exit 77 ;;
    9) alert "$(wc -l <"$delivery.failed" | tr -d ' ') lines of $delivery were not added: $(cat import.err)"; mv "$delivery" done/ ;;
    *) alert "$delivery: $(cat import.err)" ;;
  esac
done

# The stock by status, and a backup.
for status in available pending sold; do
  count=$(petctl pets list --all --status "$status" --jq length) || exit
  printf '%s\t%s\n' "$status" "$count"
done >stock.tsv
petctl pets list --all -o csv >backup.csv.tmp && mv backup.csv.tmp backup.csv || exit

# The newest ten of a category, as a mail would show them.
petctl pets list --all -o jsonl --jq 'select(.categoryId == 7) | [.id, .name] | @tsv' | tail -n 10 >category-7.txt

# No available pet is an alert.
[ "$(petctl pets list --status available --limit 1 --jq length)" -gt 0 ] || alert 'no pet is available'
[ "$(petctl pets list --limit 250 --fields id | wc -l)" -le 250 ] || alert 'a list has more elements than its limit'
