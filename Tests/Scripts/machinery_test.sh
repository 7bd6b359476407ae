#!/bin/sh
# Each kind of case of the storage machinery, by count and with fixed seeds: no clock decides what is looked at.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
machinery() {
    script=$1
    shift
    python3 "Tests/Machinery/$script" "$bin" "$@"
}
python3 Tests/Machinery/model_check.py
machinery cut.py --seed 23
machinery crash.py --moments 8 --samples 3 --seed 11
machinery faults.py --only add --cases 2 --seed 12 --first
machinery faults.py --only daemon --kind sync --cases 1 --seed 15 --first
machinery faults.py --only snapshot --kind write --cases 1 --seed 14 --first
machinery race.py --operations 1500 --seed 16
