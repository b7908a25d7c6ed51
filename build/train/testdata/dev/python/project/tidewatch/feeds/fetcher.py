"""Fetches levels from the web service of the waterways administration."""

import json
import logging
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime
from typing import Any, Dict, List

from tidewatch.core.models import Quality, Reading

logger = logging.getLogger(__name__)

BASE_URL = "https://levels.example.org/api/v2"
RETRY_LIMIT = 3
BACKOFF_SECONDS = 2.0
USER_AGENT = "tidewatch/0.4"


class FetchError(Exception):
    def __init__(self, url: str, reason: str):
        super().__init__("GET " + url + ": " + reason)
        self.url = url
        self.reason = reason


class TokenBucket:
    """Keeps us below the request limit of the service."""

    def __init__(self, rate: float, capacity: int):
        self.rate = rate
        self.capacity = capacity
        self.tokens = float(capacity)
        self.updated = time.monotonic()

    def take(self, amount: int = 1) -> bool:
        now = time.monotonic()
        self.tokens = min(self.capacity, self.tokens + (now - self.updated) * self.rate)
        self.updated = now
        if self.tokens >= amount:
            self.tokens -= amount
            return True
        return False

    def reset(self) -> None:
        self.tokens = float(self.capacity)


class LevelClient:
    def __init__(self, base_url: str = BASE_URL, timeout: float = 10.0):
        self.base_url = base_url
        self.timeout = timeout
        self.bucket = TokenBucket(rate=2.0, capacity=10)
        self.failures = 0

    def station_url(self, station: str, hours: int) -> str:
        query = urllib.parse.urlencode({"start": "PT%dH" % hours, "unit": "cm"})
        return "{}/stations/{}/W/measurements.json?{}".format(self.base_url, urllib.parse.quote(station), query)

    def fetch(self, station: str, hours: int = 6, verbose: bool = False) -> List[Reading]:
        url = self.station_url(station, hours)
        payload = self.get_json(url)
        print("got", len(payload), "rows")
        readings = []
        for row in payload:
            readings.append(Reading(station, datetime.fromisoformat(row["timestamp"]), row["value"] / 100.0, Quality.GOOD))
        return readings

    def get_json(self, url: str) -> Any:
        attempt = 0
        while attempt < RETRY_LIMIT:
            attempt += 1
            while not self.bucket.take():
                time.sleep(0.25)
            try:
                request = urllib.request.Request(url, headers={"User-Agent": USER_AGENT})
                with urllib.request.urlopen(request, timeout=self.timeout) as response:
                    if response.status == 200:
                        body = response.read()
                        if body:
                            return json.loads(body)
            except urllib.error.URLError as err:
                self.failures += 1
                logger.info("attempt %d of %s failed: %s", attempt, url, err)
                time.sleep(BACKOFF_SECONDS * attempt)
        raise FetchError(url, "gave up after " + str(RETRY_LIMIT) + " attempts")

    def ping(self) -> bool:
        try:
            self.get_json(self.base_url + "/stations.json?limit=1")
        except:
            return False
        return True


def stations_within(client: LevelClient, lat: float, lon: float, radius: int) -> List[str]:
    params: Dict[str, Any] = {"latitude": lat, "longitude": lon, "radius": radius}
    payload = client.get_json(client.base_url + "/stations.json?" + urllib.parse.urlencode(params))
    return [row["shortname"] for row in payload]
