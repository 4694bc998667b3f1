# What the examples share: a few words for the API's calls. Each fails the script when the call fails.
API=${1:-${DETENT_API:-http://127.0.0.1:8080}}

say() { printf '\n== %s\n' "$*"; }
call() { curl -sS --fail-with-body -H 'Content-Type: application/json' "$@"; }
register() { call -X POST "$API/v1/definitions/$1/versions" --data "@$2"; }
create() { call -X POST "$API/v1/machines" --data "{\"id\": \"$1\", \"definition\": \"$2\", \"input\": $3}"; }
send() { call -X POST "$API/v1/machines/$1/events?wait=applied" --data "$2"; }
history() { call "$API/v1/machines/$1/history"; }

# expect fails unless the machine shows the text.
expect() {
  local machine
  machine=$(call "$API/v1/machines/$1")
  case $machine in
  *"$2"*) ;;
  *)
    echo "expected $2 in: $machine" >&2
    return 1
    ;;
  esac
}

# await waits up to a minute until the machine shows the text.
await() {
  local machine
  for _ in $(seq 300); do
    machine=$(call "$API/v1/machines/$1")
    case $machine in *"$2"*)
      echo "$machine"
      return
      ;;
    esac
    sleep 0.2
  done
  echo "waited in vain for $2 in: $machine" >&2
  return 1
}
