#!/bin/sh
# The storage machinery for about a minute and a half of processor, with fixed seeds (make soak TIME=SECONDS goes on).
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
machinery() {
    script=$1
    shift
    python3 "Tests/Machinery/$script" "$bin" "$@"
}
python3 Tests/Machinery/model_check.py
machinery crash.py --seconds 10 --seed 11
# The kinds of calls that fail, over the scenarios that are played in no time.
machinery faults.py --only add --seconds 6 --seed 12 --first
machinery faults.py --only creation --seconds 6 --seed 13 --first
machinery faults.py --only snapshot --seconds 4 --seed 14 --first
machinery faults.py --only daemon --kind sync --seconds 6 --seed 15 --first
machinery faults.py --only slot --kind sync --seconds 10 --seed 3 --first
machinery faults.py --only restore --kind sync --seconds 4 --seed 21 --first
# OpenSSL's first allocation: without it the library cannot begin.
machinery faults.py --only add --kind openssl --number 1 --seed 1
machinery faults.py --only add --kind read --seconds 4 --seed 22 --first
machinery cut.py --seed 23
machinery migration.py
machinery race.py --seconds 10 --seed 16
machinery rollback.py 2 17
machinery log_size.py --seconds 4 --seed 18
machinery state_changes.py --seconds 3 --seed 20
machinery passcode_race.py --rounds 4 --seed 1
machinery tamper.py --seconds 8 --seed 19
