"""The things a tide gauge network is made of."""

import json
import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Dict, List, Optional

EARTH_RADIUS_KM = 6371.0
DEFAULT_DATUM = "NHN"


class GaugeKind(Enum):
    FLOAT = "float"
    RADAR = "radar"
    PRESSURE = "pressure"


class Quality(Enum):
    GOOD = 0
    SUSPECT = 1
    BAD = 2


@dataclass
class Position:
    lat: float
    lon: float

    def distance(self, other: "Position") -> float:
        p1 = math.radians(self.lat)
        p2 = math.radians(other.lat)
        dlat = math.radians(other.lat - self.lat)
        dlon = math.radians(other.lon - self.lon)
        a = math.sin(dlat / 2) ** 2 + math.cos(p1) * math.cos(p2) * math.sin(dlon / 2) ** 2
        return EARTH_RADIUS_KM * 2 * math.atan2(math.sqrt(a), math.sqrt(1 - a))


@dataclass
class Reading:
    station: str
    taken: datetime
    level: float
    quality: Quality = Quality.GOOD

    def is_usable(self) -> bool:
        return self.quality is not Quality.BAD and not math.isnan(self.level)

    def age(self, now: datetime) -> timedelta:
        return now - self.taken

    def to_dict(self) -> Dict[str, object]:
        return {
            "station": self.station,
            "taken": self.taken.isoformat(),
            "level": self.level,
            "quality": self.quality.name.lower(),
        }


@dataclass
class Gauge:
    station: str
    name: str
    kind: GaugeKind
    position: Position
    offset: float = 0.0
    tags: List[str] = field(default_factory=list)

    def describe(self) -> str:
        if self.kind == GaugeKind.FLOAT:
            what = "float gauge"
        elif self.kind == GaugeKind.RADAR:
            what = "radar gauge"
        elif self.kind == GaugeKind.PRESSURE:
            what = "pressure gauge"
        else:
            raise ValueError("unknown kind " + str(self.kind))
        return self.name + " (" + self.station + "), a " + what

    def correct(self, level: float) -> float:
        return level + self.offset

    def to_dict(self) -> Dict[str, object]:
        return {
            "station": self.station,
            "name": self.name,
            "kind": self.kind.value,
            "lat": self.position.lat,
            "lon": self.position.lon,
            "offset": self.offset,
        }


def gauge_from_dict(raw: Dict[str, object]) -> Gauge:
    position = Position(float(raw["lat"]), float(raw["lon"]))
    return Gauge(
        station=str(raw["station"]),
        name=str(raw.get("name", raw["station"])),
        kind=GaugeKind(raw.get("kind", "float")),
        position=position,
        offset=float(raw.get("offset", 0.0)),
    )


def nearest(gauges: List[Gauge], here: Position, limit: float = 50.0) -> Optional[Gauge]:
    best = None
    best_distance = limit
    for gauge in gauges:
        d = gauge.position.distance(here)
        if d < best_distance:
            best = gauge
            best_distance = d
    return best


def feet_to_metres(feet: float) -> float:
    return feet * 0.3048
