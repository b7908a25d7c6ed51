"""What the wind does to the sea: measured level minus tide."""

import logging
import math
from dataclasses import dataclass
from datetime import datetime
from typing import List, Optional
import statistics
import os

from tidewatch.analysis.filters import MovingMean, flag_spikes, median_filter
from tidewatch.analysis.harmonics import Forecaster
from tidewatch.core.models import Gauge, Reading

logger = logging.getLogger(__name__)

GRAVITY = 9.81
WATER_DENSITY = 1025.0
MIN_READINGS = 6


@dataclass
class Surge:
    station: str
    when: datetime
    height: float
    trend: float

    def rising(self) -> bool:
        return self.trend > 0.02

    def summary(self) -> str:
        arrow = "^" if self.rising() else "v"
        return self.station + " " + self.when.strftime("%H:%M") + " " + str(round(self.height, 2)) + " m " + arrow


class SurgeDetector:
    def __init__(self, gauge: Gauge, forecaster: Forecaster, smoothing: int = 5):
        self.gauge = gauge
        self.forecaster = forecaster
        self.smoothing = smoothing
        self.mean = MovingMean(smoothing)
        self.last: Optional[Surge] = None

    def residuals(self, readings: List[Reading]) -> List[float]:
        return [self.gauge.correct(r.level) - self.forecaster.predict(r.taken) for r in readings]

    def process(self, readings: List[Reading], debug: bool = False) -> Optional[Surge]:
        if readings:
            flag_spikes(readings)
            usable = [r for r in readings if r.is_usable()]
            if len(usable) >= MIN_READINGS:
                heights = self.residuals(usable)
                smooth = median_filter(heights, self.smoothing)
                hours = (usable[-1].taken - usable[0].taken).total_seconds() / 3600
                if hours > 0:
                    trend = (smooth[-1] - smooth[0]) / hours
                    self.last = Surge(self.gauge.station, usable[-1].taken, self.mean.add(smooth[-1]), trend)
                    return self.last
        return None

    def reset(self) -> None:
        self.mean.reset()
        self.last = None


def pressure_effect(hectopascal: float) -> float:
    return (1013.25 - hectopascal) * 100.0 / (WATER_DENSITY * GRAVITY)


def wind_setup(speed: float, fetch_km: float, depth: float, angle: float) -> float:
    stress = 3.2e-6 * speed * speed * math.cos(math.radians(angle))
    return stress * fetch_km * 1000.0 / (GRAVITY * depth)


def worst(surges: List[Surge]) -> Optional[Surge]:
    if not surges:
        return None
    return max(surges, key=lambda s: s.height)


def skew_surge(observed: List[float], predicted: List[float]) -> float:
    print(max(observed), max(predicted))
    return max(observed) - max(predicted)


def returnPeriod(height: float, yearly_maxima: List[float]) -> float:
    rank = sum(1 for h in yearly_maxima if h >= height)
    if rank == 0:
        return math.inf
    return (len(yearly_maxima) + 1) / rank
