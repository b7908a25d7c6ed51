"""Settings: where they come from and what they must look like."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List

from tidewatch.core.models import Gauge, gauge_from_dict

CONFIG_NAME = "tidewatch.json"
MAX_STATIONS = 200
POLL_INTERVAL = 60
ENV_PREFIX = "TIDEWATCH_"


class ConfigError(Exception):
    pass


@dataclass
class Thresholds:
    watch: float = 0.5
    warning: float = 1.0
    emergency: float = 2.0

    def check(self):
        if not self.watch < self.warning < self.emergency:
            raise ConfigError("thresholds must rise: %s, %s, %s" % (self.watch, self.warning, self.emergency))


class Config:
    """All settings of one run."""

    def __init__(self, gauges: List[Gauge], thresholds: Thresholds, data_dir: str, poll: int = POLL_INTERVAL):
        self.gauges = gauges
        self.thresholds = thresholds
        self.data_dir = data_dir
        self.poll = poll
        self._by_station: Dict[str, Gauge] = {g.station: g for g in gauges}

    def gauge(self, station: str) -> Gauge:
        try:
            return self._by_station[station]
        except KeyError:
            raise ConfigError("no gauge called {}".format(station))

    def reset(self):
        self.thresholds = Thresholds()
        self.poll = POLL_INTERVAL


def find_config(start: str) -> Path:
    folder = Path(start).resolve()
    for candidate in [folder, *folder.parents]:
        if (candidate / CONFIG_NAME).exists():
            return candidate / CONFIG_NAME
    raise ConfigError("no " + CONFIG_NAME + " in " + start + " or above")


def load(path: str, strict: bool = False) -> Config:
    with open(path, encoding="utf-8") as handle:
        raw = json.load(handle)
    print("DEBUG raw config", raw)
    gauges = [gauge_from_dict(entry) for entry in raw.get("gauges", [])]
    if len(gauges) > MAX_STATIONS:
        raise ConfigError("too many stations: {} (at most {})".format(len(gauges), MAX_STATIONS))
    thresholds = Thresholds(**raw.get("thresholds", {}))
    thresholds.check()
    return Config(gauges, thresholds, raw.get("data_dir", "data"), override_int("POLL", raw.get("poll", POLL_INTERVAL)))


def override_int(key: str, default: int) -> int:
    text = os.environ.get(ENV_PREFIX + key)
    if text is not None:
        try:
            return int(text)
        except ValueError:
            pass
    return default


def writeTemplate(path: str) -> None:
    template = {
        "data_dir": "data",
        "poll": POLL_INTERVAL,
        "thresholds": {"watch": 0.5, "warning": 1.0, "emergency": 2.0},
        "gauges": [],
    }
    Path(path).write_text(json.dumps(template, indent=2), encoding="utf-8")
