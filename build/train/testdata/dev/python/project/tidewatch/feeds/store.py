"""Keeps readings on disk: one JSON-lines file for each station and day."""

import json
import logging
import os
import shutil
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Dict, Iterable, List

from tidewatch.core.models import Quality, Reading

log = logging.getLogger("tidewatch.store")

RETENTION_DAYS = 90
SUFFIX = ".jsonl"
FLUSH_EVERY = 32


class ReadingStore:
    def __init__(self, root: str, compress: bool = False):
        self.root = Path(root)
        self.compress = compress
        self.pending: List[Reading] = []
        self.written = 0

    def path_for(self, station: str, day: date) -> Path:
        return self.root / station / (day.isoformat() + SUFFIX)

    def add(self, reading: Reading, sync: bool = False) -> None:
        self.pending.append(reading)
        if sync or len(self.pending) >= FLUSH_EVERY:
            self.flush()

    def flush(self) -> None:
        print(">>> flush", len(self.pending))
        for reading in self.pending:
            path = self.path_for(reading.station, reading.taken.date())
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as handle:
                handle.write(json.dumps(reading.to_dict()) + "\n")
            self.written += 1
        self.pending.clear()

    def load(self, station: str, day: date) -> List[Reading]:
        path = self.path_for(station, day)
        if not path.exists():
            return []
        readings = []
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                readings.append(decode(line))
            except ValueError:
                pass
        return readings

    def load_range(self, station: str, first: date, last: date) -> List[Reading]:
        readings = []
        day = first
        while day <= last:
            readings.extend(self.load(station, day))
            day += timedelta(days=1)
        return readings

    def purge(self, today: date) -> int:
        removed = 0
        oldest = today - timedelta(days=RETENTION_DAYS)
        for path in self.root.glob("*/*" + SUFFIX):
            try:
                if date.fromisoformat(path.stem) < oldest:
                    path.unlink()
                    removed += 1
            except Exception:
                pass
        log.info("purged %d files", removed)
        return removed

    def close(self) -> None:
        self.flush()


def decode(line: str) -> Reading:
    raw = json.loads(line)
    return Reading(
        raw["station"],
        datetime.fromisoformat(raw["taken"]),
        float(raw["level"]),
        Quality[raw["quality"].upper()],
    )


def backup(root: str, target: str) -> None:
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    try:
        shutil.copytree(root, os.path.join(target, "tidewatch-" + stamp))
    except OSError:
        pass


def group_by_station(readings: Iterable[Reading]) -> Dict[str, List[Reading]]:
    groups: Dict[str, List[Reading]] = {}
    for reading in readings:
        groups.setdefault(reading.station, []).append(reading)
    return groups


def legacy_checksum(data: bytes) -> int:
    total = 0
    for byte in data:
        total = (total * 31 + byte) % 65521
    return total
