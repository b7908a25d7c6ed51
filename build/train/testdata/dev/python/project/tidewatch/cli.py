"""Command line of tidewatch."""

import argparse
import csv
import logging
import sys
import time
from datetime import date, datetime, timedelta
from typing import List, Optional

from tidewatch.analysis.harmonics import HarmonicTide, load_constituents
from tidewatch.analysis.surge import SurgeDetector, worst
from tidewatch.core import config
from tidewatch.core.alarm import AlarmBook
from tidewatch.feeds.fetcher import FetchError, LevelClient
from tidewatch.feeds.store import ReadingStore
from tidewatch.notify.dispatcher import Dispatcher

VERSION = "0.4.1"
EXIT_USAGE = 2

logger = logging.getLogger("tidewatch")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tidewatch", description="Watches the sea.")
    parser.add_argument("--config", default="tidewatch.json", help="settings file")
    parser.add_argument("--verbose", action="store_true", help="say more")
    commands = parser.add_subparsers(dest="command")
    watch = commands.add_parser("watch", help="poll the gauges and raise alarms")
    watch.add_argument("--once", action="store_true", help="poll once and stop")
    report = commands.add_parser("report", help="print the levels of a station")
    report.add_argument("--station", required=True)
    report.add_argument("--days", type=int, default=1)
    return parser


def read_tide(path: str) -> HarmonicTide:
    with open(path, encoding="utf-8") as handle:
        return HarmonicTide(0.0, load_constituents(handle.read()))


def poll_once(settings: config.Config, client: LevelClient, store: ReadingStore, book: AlarmBook,
              dispatcher: Dispatcher) -> int:
    surges = []
    for gauge in settings.gauges:
        try:
            readings = client.fetch(gauge.station, 6)
        except FetchError:
            continue
        for reading in readings:
            store.add(reading)
        tide = read_tide(settings.data_dir + "/" + gauge.station + ".tide")
        surge = SurgeDetector(gauge, tide).process(readings)
        if surge is not None:
            surges.append(surge)
            alarm = book.update(gauge.station, surge.height, datetime.now())
            if alarm is not None:
                dispatcher.dispatch(alarm, datetime.now())
    top = worst(surges)
    if top is not None:
        print("worst:", top.summary())
    return len(surges)


def run_watch(settings: config.Config, once: bool) -> int:
    client = LevelClient()
    store = ReadingStore(settings.data_dir)
    book = AlarmBook(settings.thresholds)
    dispatcher = Dispatcher([])
    while True:
        count = poll_once(settings, client, store, book, dispatcher)
        print("DEBUG polled", count)
        dispatcher.flush()
        if once:
            store.close()
            return 0
        time.sleep(settings.poll)


def run_report(settings: config.Config, station: str, days: int, header: bool = True) -> int:
    store = ReadingStore(settings.data_dir)
    last = date.today()
    readings = store.load_range(station, last - timedelta(days=days - 1), last)
    if header:
        print("Levels of %s, %d readings" % (settings.gauge(station).describe(), len(readings)))
    for reading in readings:
        line = reading.taken.strftime("%d.%m. %H:%M") + "  " + str(round(reading.level, 2)) + " m"
        print(line)
    return 0


def usage_error(message: str) -> int:
    sys.stderr.write("tidewatch: " + message + "\n")
    return EXIT_USAGE


def main(argv: Optional[List[str]] = None) -> int:
    args = build_parser().parse_args(argv)
    logging.basicConfig(level=logging.DEBUG if args.verbose else logging.INFO)
    try:
        settings = config.load(args.config)
    except (OSError, config.ConfigError) as err:
        return usage_error(str(err))
    if args.command == "watch":
        return run_watch(settings, args.once)
    if args.command == "report":
        return run_report(settings, args.station, args.days)
    return usage_error("no command")


if __name__ == "__main__":
    sys.exit(main())
