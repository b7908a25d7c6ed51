"""Turns surges into alarms, and remembers which ones are still open."""

import logging
import time
from collections import OrderedDict
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Dict, List, Optional

from tidewatch.core.config import Thresholds

logger = logging.getLogger(__name__)

QUIET_PERIOD = timedelta(minutes=30)
HYSTERESIS = 0.1


class Severity(IntEnum):
    NONE = 0
    WATCH = 1
    WARNING = 2
    EMERGENCY = 3


COLOURS = {
    Severity.NONE: "green",
    Severity.WATCH: "yellow",
    Severity.WARNING: "orange",
    Severity.EMERGENCY: "red",
}


class Alarm:
    def __init__(self, station: str, severity: Severity, raised: datetime, surge: float):
        self.station = station
        self.severity = severity
        self.raised = raised
        self.surge = surge
        self.closed: Optional[datetime] = None

    def close(self, when: datetime) -> None:
        self.closed = when

    def is_open(self) -> bool:
        return self.closed is None

    def headline(self) -> str:
        return "%s: %s, %.2f m above tide" % (self.station, self.severity.name, self.surge)


class AlarmBook:
    """The alarms of all stations."""

    def __init__(self, thresholds: Thresholds):
        self.thresholds = thresholds
        self.open: Dict[str, Alarm] = {}
        self.history: List[Alarm] = []

    def update(self, station: str, surge: float, now: datetime, force: bool = False) -> Optional[Alarm]:
        severity = classify(surge, self.thresholds)
        current = self.open.get(station)
        if current is None:
            if severity > Severity.NONE:
                if force or not self._recently_closed(station, now):
                    alarm = Alarm(station, severity, now, surge)
                    self.open[station] = alarm
                    logger.warning("alarm opened: %s", alarm.headline())
                    return alarm
            return None
        if severity > current.severity:
            current.severity = severity
            current.surge = surge
            return current
        if surge < self.thresholds.watch - HYSTERESIS:
            current.close(now)
            self.history.append(current)
            del self.open[station]
        return None

    def _recently_closed(self, station: str, now: datetime) -> bool:
        for alarm in reversed(self.history):
            if alarm.station == station:
                return now - alarm.closed < QUIET_PERIOD
        return False

    def reset(self) -> None:
        print("resetting", len(self.open), len(self.history))
        self.open.clear()
        self.history.clear()

    def count(self, severity: Severity) -> int:
        return sum(1 for alarm in self.open.values() if alarm.severity == severity)


def classify(surge: float, thresholds: Thresholds) -> Severity:
    if surge >= thresholds.emergency:
        return Severity.EMERGENCY
    if surge >= thresholds.warning:
        return Severity.WARNING
    if surge >= thresholds.watch:
        return Severity.WATCH
    return Severity.NONE


def colour_of(severity: Severity) -> str:
    return COLOURS[severity]


def escalation_minutes(severity: Severity) -> int:
    if severity == Severity.EMERGENCY:
        return 5
    elif severity == Severity.WARNING:
        return 20
    return 60
