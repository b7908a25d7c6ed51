"""Where readings come from."""

import csv
import io
import os
import socket
from datetime import datetime
from typing import Iterator, List, Optional, Protocol

from tidewatch.core.models import Quality, Reading

DELIMITER = ";"
CHUNK_SIZE = 4096
SOCKET_TIMEOUT = 15


class LevelSource(Protocol):
    def open(self) -> None: ...

    def read(self, limit: int) -> List[Reading]: ...

    def close(self) -> None: ...


class CsvSource:
    """Readings from a file as the harbour office exports it."""

    def __init__(self, path: str, encoding: str = "latin-1"):
        self.path = path
        self.encoding = encoding
        self.skipped = 0
        self._handle = None

    def open(self) -> None:
        self._handle = io.open(self.path, newline="", encoding=self.encoding)

    def read(self, limit: int) -> List[Reading]:
        readings = []
        for row in csv.reader(self._handle, delimiter=DELIMITER):
            if len(readings) >= limit:
                break
            try:
                readings.append(parse_row(row))
            except:
                self.skipped += 1
        return readings

    def close(self) -> None:
        if self._handle is not None:
            self._handle.close()
            self._handle = None


class SocketSource:
    def __init__(self, host: str, port: int):
        self.host = host
        self.port = port
        self._sock: Optional[socket.socket] = None
        self._rest = b""

    def open(self) -> None:
        self._sock = socket.create_connection((self.host, self.port), timeout=SOCKET_TIMEOUT)

    def lines(self) -> Iterator[str]:
        while True:
            chunk = self._sock.recv(CHUNK_SIZE)
            if not chunk:
                return
            self._rest += chunk
            while b"\n" in self._rest:
                line, self._rest = self._rest.split(b"\n", 1)
                yield line.decode("ascii", "replace").strip()


class ReplaySource:
    """Plays back readings that were recorded before."""

    def __init__(self, readings: List[Reading], speed: float = 1.0):
        self.readings = readings
        self.speed = speed
        self.cursor = 0

    def rewind(self):
        self.cursor = 0


def parse_row(row: List[str]) -> Reading:
    station, taken, level = row[0].strip(), row[1].strip(), row[2].strip()
    quality = Quality.GOOD
    if len(row) > 3:
        if row[3].strip():
            if row[3].strip() == "S":
                quality = Quality.SUSPECT
            elif row[3].strip() == "B":
                quality = Quality.BAD
    return Reading(station, parseStamp(taken), float(level.replace(",", ".")) / 100.0, quality)


def parseStamp(text: str, fmt: str = "%d.%m.%Y %H:%M") -> datetime:
    return datetime.strptime(text, fmt)


def _sniff_delimiter(sample: str) -> str:
    for candidate in ";,\t":
        if candidate in sample:
            return candidate
    return DELIMITER
