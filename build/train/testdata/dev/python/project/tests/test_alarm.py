from datetime import datetime, timedelta

import pytest

from tidewatch.core.alarm import Alarm, AlarmBook, Severity, classify, colour_of
from tidewatch.core.config import ConfigError, Thresholds

NOW = datetime(2024, 1, 3, 6, 0)


@pytest.fixture
def book():
    return AlarmBook(Thresholds())


@pytest.mark.parametrize(
    "surge,expected",
    [(0.1, Severity.NONE), (0.5, Severity.WATCH), (1.4, Severity.WARNING), (2.5, Severity.EMERGENCY)],
)
def test_classify(surge, expected):
    assert classify(surge, Thresholds()) is expected


def test_low_surge_opens_nothing(book):
    assert book.update("HEL", 0.2, NOW) is None
    assert book.open == {}


def test_alarm_opens_and_closes(book):
    alarm = book.update("HEL", 0.8, NOW)
    assert alarm.is_open()
    book.update("HEL", 0.1, NOW + timedelta(hours=1))
    assert not alarm.is_open()
    assert book.history == [alarm]


def test_alarm_rises(book):
    book.update("HEL", 0.8, NOW)
    alarm = book.update("HEL", 1.5, NOW + timedelta(minutes=10))
    assert alarm.severity is Severity.WARNING


def test_quiet_period(book):
    book.update("HEL", 0.8, NOW)
    book.update("HEL", 0.1, NOW + timedelta(minutes=5))
    assert book.update("HEL", 0.8, NOW + timedelta(minutes=10)) is None
    assert book.update("HEL", 0.8, NOW + timedelta(minutes=12), True) is not None


def test_colour():
    assert colour_of(Severity.WATCH) == "yellow"


def test_thresholds_must_rise():
    with pytest.raises(ConfigError):
        Thresholds(watch=2.0).check()


def test_headline():
    assert Alarm("HEL", Severity.WATCH, NOW, 0.756).headline() == "HEL: WATCH, 0.76 m above tide"
