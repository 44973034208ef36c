#!/usr/bin/python3
"""Copies the data of the primary in the place of pg_basebackup and pg_rewind, which the embedded PostgreSQL does not have. All servers of
the run are on one machine, so the files are copied as files, between pg_backup_start and pg_backup_stop."""
import os
import shutil
import sys

import psycopg2

LEFT_OUT = {"postmaster.pid", "postmaster.opts", "standby.signal", "backup_label", "backup_label.old", "pg_internal.init"}
EMPTY = {"pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots", "pg_stat_tmp", "pg_subtrans"}


def arguments():
    target = source = None
    given = iter(sys.argv[1:])
    for word in given:
        if word == "-D":
            target = next(given)
        elif word == "--source-server":
            source = next(given)
        elif word.startswith("--pgdata="):
            target = word.split("=", 1)[1]
        elif word.startswith("--dbname="):
            source = word.split("=", 1)[1]
    return target, source


def copy_folder(source, target):
    os.makedirs(target, mode=0o700, exist_ok=True)
    if os.path.basename(source) in EMPTY:
        return
    for entry in os.scandir(source):
        if entry.name in LEFT_OUT or entry.name.startswith("pgsql_tmp"):
            continue
        place = os.path.join(target, entry.name)
        if entry.is_dir():
            copy_folder(entry.path, place)
        else:
            try:
                shutil.copy2(entry.path, place)
            except FileNotFoundError:
                pass  # The server removed it; its log has that.


def main():
    if "--help" in sys.argv:
        return
    target, source = arguments()
    # The user that asks may replicate only.
    superuser = dict(user="postgres", password=os.environ["CLUSTER_SUPERUSER_PASSWORD"], dbname="postgres")
    parts = psycopg2.extensions.parse_dsn(source)
    connection = psycopg2.connect(host=parts["host"], port=parts["port"], **superuser)
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("show data_directory")
    origin = cursor.fetchone()[0]
    for name in os.listdir(target) if os.path.isdir(target) else []:
        place = os.path.join(target, name)
        shutil.rmtree(place) if os.path.isdir(place) else os.remove(place)
    cursor.execute("select pg_backup_start('copy', fast => true)")
    copy_folder(origin, target)
    cursor.execute("select labelfile from pg_backup_stop(wait_for_archive => false)")
    with open(os.path.join(target, "backup_label"), "w") as file:
        file.write(cursor.fetchone()[0])


main()
