#!/bin/sh
# Prints a line if no pet is available, or if the service cannot tell; else prints nothing. For cron, which mails any
# output:
#
#   PATH=/usr/local/bin:/usr/bin:/bin
#   PETCTL_API_KEY=pk_…
#   */15 * * * * /usr/local/bin/alert-none-available.sh
#
# Needs petctl (its README says how to install it), in the PATH of cron, and a key: in PETCTL_API_KEY, or stored by `petctl auth login`.
# Exit code: 0 some are available, 10 none, else petctl's own (`petctl --help`).
set -u

# --quiet hides notices, not errors: those go to stderr, which cron mails, too.
count=$(petctl pets list --status available --limit 1 --quiet --output json --jq length)
code=$?

if [ "$code" -ne 0 ]; then
  printf 'Petstore: cannot tell whether pets are available: petctl exited with %s. See its error above.\n' "$code"
  exit "$code"
fi

if [ "$count" -eq 0 ]; then
  printf 'Petstore: no pet is available.\n'
  exit 10
fi
