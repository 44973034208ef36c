#!/usr/bin/python3
"""Prints what Patroni reads of pg_controldata. The embedded PostgreSQL has initdb, pg_ctl and postgres only."""
import struct
import sys

# ControlFileData of PostgreSQL 18 (src/include/catalog/pg_control.h), in the alignment of this machine.
HEAD = "QIIiqQ"
CHECKPOINT = "QII?iQIIIIIIIqIII"
RECOVERY = "QQIQQ"
SETTINGS = "?i?iiiii?Id"
SIZES = "IIIIIIII"
STATES = ["starting up", "shut down", "shut down in recovery", "shutting down", "in crash recovery", "in archive recovery", "in production"]


def lsn(value):
    return "%X/%08X" % (value >> 32, value & 0xFFFFFFFF)


def main():
    with open(sys.argv[-1] + "/global/pg_control", "rb") as file:
        data = file.read()
    layout = "@" + HEAD + CHECKPOINT + RECOVERY + SETTINGS + SIZES + "?I"
    fields = list(struct.unpack_from(layout, data))
    take = lambda count: [fields.pop(0) for _ in range(count)]
    system, version, _catalogue, state, _time, checkpoint = take(6)
    if version != 1800:
        sys.exit("pg_control has version %d, which this program does not read" % version)
    redo, timeline, previous_timeline = take(3)
    take(14)
    _unlogged, minimum, minimum_timeline, _start, _end = take(5)
    _required, wal_level, hints, connections, workers, senders, prepared, locks, _track, _align, _float = take(11)
    take(8)
    _by_value, checksums = take(2)
    for name, value in [
        ("pg_control version number", version),
        ("Database system identifier", system),
        ("Database cluster state", STATES[state]),
        ("Latest checkpoint location", lsn(checkpoint)),
        ("Latest checkpoint's REDO location", lsn(redo)),
        ("Latest checkpoint's TimeLineID", timeline),
        ("Latest checkpoint's PrevTimeLineID", previous_timeline),
        ("Minimum recovery ending location", lsn(minimum)),
        ("Min recovery ending loc's timeline", minimum_timeline),
        ("wal_level setting", ["minimal", "replica", "logical"][wal_level]),
        ("wal_log_hints setting", "on" if hints else "off"),
        ("max_connections setting", connections),
        ("max_worker_processes setting", workers),
        ("max_wal_senders setting", senders),
        ("max_prepared_xacts setting", prepared),
        ("max_locks_per_xact setting", locks),
        ("Data page checksum version", checksums),
    ]:
        print("%-40s%s" % (name + ":", value))


main()
