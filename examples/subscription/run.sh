#!/usr/bin/env bash
# A subscription in fast motion: a trial of 2 seconds, periods of 3, a failing card, dunning, and an end.
# One deadline is left at its real distance, and only shown: the end of the month where the customer lives.
# Usage: run.sh [URL of the API]
set -euo pipefail
cd "$(dirname "$0")"
. ../lib.sh "$@"

register subscription subscription.json
id=subscription-$(date +%s)-$$

say "the trial ends by itself, and the first charge succeeds"
create "$id" subscription '{"plan": "pro", "zone": "Europe/Berlin", "trialMs": 2000, "periodMs": 3000, "retryMs": 1000}'
await "$id" '"value":"renewing"'
send "$id" '{"type": "CHARGED"}'
expect "$id" '"value":"active"'

say "the period ends, and the card fails three times: two retries, then the subscription lapses"
await "$id" '"value":"renewing"'
send "$id" '{"type": "CHARGE_FAILED"}'
await "$id" '"value":"renewing"'
send "$id" '{"type": "CHARGE_FAILED"}'
await "$id" '"value":"renewing"'
send "$id" '{"type": "CHARGE_FAILED"}'
expect "$id" '"value":"lapsed"'

say "it is over when the month ends in Berlin: the first midnight of the next month there, in UTC"
expect "$id/timers" '"event":"xstate.after.monthEndsInBerlin.subscription.lapsed"'
call "$API/v1/machines/$id/timers"

say "the customer pays after all, cancels, and keeps what is paid for until the period ends"
send "$id" '{"type": "CHARGED"}'
send "$id" '{"type": "CANCEL"}'
expect "$id" '"value":"ending"'
await "$id" '"output":{"periods":2}'
history "$id"
