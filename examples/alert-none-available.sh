#!/bin/sh
# Says so when no animal is available, or when that cannot be found out; says nothing otherwise. Made for cron, which
# mails whatever is printed:
#
#   PETCTL_API_KEY=pk_…
#   */15 * * * * /usr/local/bin/alert-none-available.sh
#
# Needs petctl (npm install -g petctl) and a key: in PETCTL_API_KEY, or kept by `petctl auth login`.
# Exit code: 0 there are some, 10 there are none, else petctl's own (`petctl help exit-codes`).
set -u

# One is enough to know. --quiet leaves the notices out, not the errors: those go to stderr, which cron mails as well.
count=$(petctl pets list --status available --limit 1 --quiet --output json --jq length)
code=$?

if [ "$code" -ne 0 ]; then
  printf 'Petstore: whether animals are available is not known, petctl ended with %s.\n' "$code"
  exit "$code"
fi

if [ "$count" -eq 0 ]; then
  printf 'Petstore: no animal is available.\n'
  exit 10
fi
