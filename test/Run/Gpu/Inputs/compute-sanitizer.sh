#!/bin/sh
# Stands for compute-sanitizer --tool NAME --log-file FILE COMMAND: runs the
# command, and finds $HAZARDS races.
log=$(echo "$4" | sed "s/%p/$$/")
if [ "$2" = racecheck ]; then
  echo "========= RACECHECK SUMMARY: $HAZARDS hazards displayed ($HAZARDS errors, 0 warnings)" > "$log"
else
  echo "========= ERROR SUMMARY: 0 errors" > "$log"
fi
shift 4
exec "$@"
