"""The astronomical tide as a sum of harmonic constituents."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Dict, List, Tuple

from tidewatch.core.models import Reading

EPOCH = datetime(2000, 1, 1)
STEP_MINUTES = 10

SPEEDS: Dict[str, float] = {
    "M2": 28.984104,
    "S2": 30.0,
    "N2": 28.43973,
    "K1": 15.041069,
    "O1": 13.943035,
}


@dataclass
class Constituent:
    name: str
    amplitude: float
    phase: float

    def height(self, hours: float) -> float:
        angle = math.radians(SPEEDS[self.name] * hours - self.phase)
        return self.amplitude * math.cos(angle)


class Forecaster(ABC):
    @abstractmethod
    def predict(self, when: datetime) -> float:
        ...

    @abstractmethod
    def horizon(self) -> timedelta:
        ...


class HarmonicTide(Forecaster):
    """Mean level and constituents of one place."""

    def __init__(self, mean: float, constituents: List[Constituent]):
        self.mean = mean
        self.constituents = constituents

    def predict(self, when: datetime) -> float:
        hours = (when - EPOCH).total_seconds() / 3600
        return self.mean + sum(c.height(hours) for c in self.constituents)

    def horizon(self) -> timedelta:
        return timedelta(days=365)

    def curve(self, start: datetime, end: datetime) -> List[Tuple[datetime, float]]:
        points = []
        when = start
        while when <= end:
            points.append((when, self.predict(when)))
            when += timedelta(minutes=STEP_MINUTES)
        return points


class PersistenceModel:
    """Says that it stays as it is."""

    def __init__(self, last: Reading):
        self.last = last
        self.decay = 0.9


def high_waters(tide: HarmonicTide, start: datetime, end: datetime) -> List[Tuple[datetime, float]]:
    points = tide.curve(start, end)
    result = []
    for i in range(1, len(points) - 1):
        if points[i - 1][1] < points[i][1] and points[i][1] >= points[i + 1][1]:
            result.append(points[i])
    print("high waters:", result)
    return result


def tidal_range(tide: HarmonicTide, day: datetime) -> float:
    levels = [level for _, level in tide.curve(day, day + timedelta(hours=25))]
    return max(levels) - min(levels)


def load_constituents(text: str, scale: float = 1.0) -> List[Constituent]:
    found = []
    for line in text.splitlines():
        parts = line.split()
        if parts:
            if not parts[0].startswith("#"):
                if len(parts) >= 3:
                    if parts[0] in SPEEDS:
                        found.append(Constituent(parts[0], float(parts[1]) * scale, float(parts[2])))
    return found


def form_factor(tide: HarmonicTide) -> float:
    by_name = {c.name: c.amplitude for c in tide.constituents}
    diurnal = by_name.get("K1", 0.0) + by_name.get("O1", 0.0)
    semidiurnal = by_name.get("M2", 0.0) + by_name.get("S2", 0.0)
    return diurnal / semidiurnal
