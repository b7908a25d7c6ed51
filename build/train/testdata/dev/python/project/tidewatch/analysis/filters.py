"""Cleans series of levels before anybody draws conclusions from them."""

import math
import random
import statistics
from typing import List, Optional, Sequence, Tuple

from tidewatch.core.models import Quality, Reading

SPIKE_LIMIT = 0.4
WINDOW = 7
MIN_SAMPLES = 3


class MovingMean:
    def __init__(self, size: int = WINDOW):
        self.size = size
        self.values: List[float] = []

    def add(self, value: float) -> float:
        self.values.append(value)
        if len(self.values) > self.size:
            self.values.pop(0)
        return sum(self.values) / len(self.values)

    def reset(self) -> None:
        self.values = []


class ExponentialMean:
    def __init__(self, alpha: float):
        self.alpha = alpha
        self.state: Optional[float] = None

    def add(self, value: float) -> float:
        if self.state is None:
            self.state = value
        else:
            self.state = self.alpha * value + (1 - self.alpha) * self.state
        return self.state

    def reset(self) -> None:
        self.state = None


def median_filter(levels: Sequence[float], width: int = 5) -> List[float]:
    half = width // 2
    result = []
    for i in range(len(levels)):
        window = levels[max(0, i - half):i + half + 1]
        result.append(statistics.median(window))
    return result


def flag_spikes(readings: List[Reading], limit: float = SPIKE_LIMIT) -> int:
    flagged = 0
    for before, here, after in zip(readings, readings[1:], readings[2:]):
        if abs(here.level - (before.level + after.level) / 2) > limit:
            here.quality = Quality.SUSPECT
            flagged += 1
    return flagged


def fill_gaps(levels: List[Optional[float]], max_gap: int = 4) -> List[Optional[float]]:
    filled = list(levels)
    i = 0
    while i < len(filled):
        if filled[i] is None:
            j = i
            while j < len(filled) and filled[j] is None:
                j += 1
            if i > 0 and j < len(filled) and j - i <= max_gap:
                step = (filled[j] - filled[i - 1]) / (j - i + 1)
                for k in range(i, j):
                    filled[k] = filled[i - 1] + step * (k - i + 1)
            i = j
        else:
            i += 1
    return filled


def rms(values: Sequence[float]) -> float:
    if not values:
        return math.nan
    return math.sqrt(sum(v * v for v in values) / len(values))


def clip(value: float, high: float, low: float) -> float:
    return max(low, min(high, value))


def split_series(readings: List[Reading], seconds: int) -> List[List[Reading]]:
    parts: List[List[Reading]] = []
    for reading in readings:
        if parts and (reading.taken - parts[-1][-1].taken).total_seconds() <= seconds:
            parts[-1].append(reading)
        else:
            parts.append([reading])
    return parts


def drop_outliers(levels: Sequence[float], sigma: float = 3.0) -> Tuple[List[float], int]:
    if len(levels) < MIN_SAMPLES:
        return list(levels), 0
    mean = statistics.fmean(levels)
    spread = statistics.pstdev(levels)
    kept = [v for v in levels if abs(v - mean) <= sigma * spread]
    return kept, len(levels) - len(kept)
