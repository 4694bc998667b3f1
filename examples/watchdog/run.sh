#!/usr/bin/env bash
# A device that reports, falls silent until the alarm rings (9 seconds), and comes back.
# Usage: run.sh [URL of the API]
set -euo pipefail
cd "$(dirname "$0")"
. ../lib.sh "$@"

register watchdog watchdog.json
id=device-$(date +%s)-$$

say "heartbeats keep it online: each one starts the timeout anew"
create "$id" watchdog '{"device": "pump 7"}'
for _ in 1 2 3; do
  sleep 1
  send "$id" '{"type": "HEARTBEAT"}'
done
expect "$id" '"link":"online"'

say "silence: suspect after 3 seconds, an alarm after 6 more"
await "$id" '"link":"suspect"'
await "$id" '"alarm":"ringing"'

say "somebody looks, the device comes back"
send "$id" '{"type": "ACKNOWLEDGE"}'
send "$id" '{"type": "HEARTBEAT"}'
send "$id" '{"type": "RESET"}'
expect "$id" '"value":{"link":"online","alarm":"quiet"}'
history "$id"
