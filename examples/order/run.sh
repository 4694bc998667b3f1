#!/usr/bin/env bash
# Takes one order to its end, cancels another, and lets a third one run into its deadline (40 seconds).
# Usage: run.sh [URL of the API]
set -euo pipefail
cd "$(dirname "$0")"
. ../lib.sh "$@"

register order order.json
run=$(date +%s)-$$

say "an order, paid in two parts and fulfilled"
create "order-$run" order '{"total": 100}'
send "order-$run" '{"type": "PAY", "amount": 40}'
send "order-$run" '{"type": "PAY", "amount": 60}'
send "order-$run" '{"type": "PICKED"}'
send "order-$run" '{"type": "INVOICED"}'
send "order-$run" '{"type": "SHIPPED"}'
expect "order-$run" '"output":{"result":"completed","paid":100,"refund":0}'

say "an order that is cancelled after a part was paid"
create "cancel-$run" order '{"total": 100}'
send "cancel-$run" '{"type": "PAY", "amount": 30}'
send "cancel-$run" '{"type": "CANCEL", "reason": "changed my mind"}'
expect "cancel-$run" '"output":{"result":"cancelled","paid":30,"refund":30}'

say "an order that nobody pays: a reminder after 10 seconds, expiry after 40"
create "late-$run" order '{"total": 100}'
await "late-$run" '"value":{"open":"reminded"}'
await "late-$run" '"value":"expired"'
history "late-$run"
