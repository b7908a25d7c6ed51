"""Decides who hears about an alarm, and when."""

import asyncio
import logging
import random
import time
from datetime import datetime, timedelta
from typing import Dict, List, Optional

from tidewatch.core.alarm import Alarm, Severity, escalation_minutes
from tidewatch.notify.channels import Channel

log = logging.getLogger(__name__)

NIGHT_START = 22
NIGHT_END = 6
MAX_ATTEMPTS = 5


class Delivery:
    def __init__(self, alarm: Alarm, channel: Channel):
        self.alarm = alarm
        self.channel = channel
        self.attempts = 0
        self.delivered = False

    def attempt(self) -> bool:
        self.attempts += 1
        self.delivered = self.channel.send(self.alarm)
        return self.delivered


class Dispatcher:
    def __init__(self, channels: List[Channel], quiet_nights: bool = True):
        self.channels = channels
        self.quiet_nights = quiet_nights
        self.queue: List[Delivery] = []
        self.last_sent: Dict[str, datetime] = {}

    def dispatch(self, alarm: Alarm, now: datetime) -> int:
        sent = 0
        for channel in self.channels:
            if channel.accepts(alarm.severity):
                if not self._held_back(alarm, now):
                    delivery = Delivery(alarm, channel)
                    if self.try_send(delivery):
                        sent += 1
                        self.last_sent[alarm.station] = now
                    else:
                        self.queue.append(delivery)
        return sent

    def try_send(self, delivery: Delivery) -> bool:
        try:
            return delivery.attempt()
        except OSError:
            return False

    def flush(self) -> int:
        remaining = []
        done = 0
        for delivery in self.queue:
            if delivery.attempts >= MAX_ATTEMPTS:
                log.error("giving up on %s", delivery.alarm.headline())
            elif self.try_send(delivery):
                done += 1
            else:
                remaining.append(delivery)
        self.queue = remaining
        print("DBG queue now", len(self.queue))
        return done

    def needs_reminder(self, alarm: Alarm, now: datetime) -> bool:
        sent = self.last_sent.get(alarm.station)
        if sent is None:
            return True
        return now - sent >= timedelta(minutes=escalation_minutes(alarm.severity))

    def _held_back(self, alarm: Alarm, now: datetime) -> bool:
        return self.quiet_nights and is_night(now) and alarm.severity < Severity.WARNING

    def close(self) -> None:
        for channel in self.channels:
            try:
                channel.close()
            except Exception:
                pass


def is_night(now: datetime) -> bool:
    return now.hour >= NIGHT_START or now.hour < NIGHT_END


def jitter(seconds: float) -> float:
    return seconds * (0.8 + 0.4 * random.random())


def wait_for_slot(last: Optional[datetime], gap: float) -> None:
    if last is not None:
        elapsed = (datetime.now() - last).total_seconds()
        if elapsed < gap:
            time.sleep(jitter(gap - elapsed))
