import math
from datetime import datetime, timedelta

from tidewatch.analysis.filters import (
    ExponentialMean,
    MovingMean,
    clip,
    fill_gaps,
    flag_spikes,
    median_filter,
    rms,
)
from tidewatch.core.models import Quality, Reading

START = datetime(2024, 1, 3, 6, 0)


def series(*levels):
    return [Reading("HEL", START + timedelta(minutes=i), level) for i, level in enumerate(levels)]


def test_moving_mean_forgets():
    mean = MovingMean(2)
    mean.add(1.0)
    mean.add(3.0)
    assert mean.add(5.0) == 4.0


def test_exponential_mean_starts_at_first_value():
    mean = ExponentialMean(0.5)
    assert mean.add(2.0) == 2.0
    assert mean.add(4.0) == 3.0


def test_median_filter_removes_single_spike():
    assert median_filter([1.0, 1.0, 9.0, 1.0, 1.0], 3) == [1.0, 1.0, 1.0, 1.0, 1.0]


def test_flag_spikes():
    readings = series(1.0, 1.0, 3.0, 1.0, 1.0)
    assert flag_spikes(readings, 1.5) == 1
    assert readings[2].quality is Quality.SUSPECT


def test_fill_gaps_short():
    assert fill_gaps([1.0, None, 3.0]) == [1.0, 2.0, 3.0]


def test_fill_gaps_long_stays():
    gap = [1.0] + [None] * 6 + [2.0]
    assert fill_gaps(gap) == gap


def test_rms_of_nothing():
    assert math.isnan(rms([]))


def test_clip():
    assert clip(5.0, 2.0, 0.0) == 2.0
    assert clip(-5.0, 2.0, 0.0) == 0.0
