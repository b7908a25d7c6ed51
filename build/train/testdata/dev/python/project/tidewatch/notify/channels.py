"""Ways to reach the people on duty."""

import json
import logging
import smtplib
import urllib.request
from abc import ABC, abstractmethod
from email.message import EmailMessage
from typing import Dict, List

from tidewatch.core.alarm import Alarm, Severity, colour_of

logger = logging.getLogger(__name__)

SMTP_PORT = 25
MAX_SMS_LENGTH = 160


class Channel(ABC):
    @abstractmethod
    def send(self, alarm: Alarm) -> bool:
        ...

    @abstractmethod
    def accepts(self, severity: Severity) -> bool:
        ...

    def close(self) -> None:
        return None


class MailChannel(Channel):
    def __init__(self, host: str, sender: str, recipients: List[str], port: int = SMTP_PORT):
        self.host = host
        self.sender = sender
        self.recipients = recipients
        self.port = port

    def accepts(self, severity: Severity) -> bool:
        return severity >= Severity.WATCH

    def send(self, alarm: Alarm) -> bool:
        message = self.build_message(alarm)
        try:
            with smtplib.SMTP(self.host, self.port, timeout=20) as smtp:
                smtp.send_message(message)
        except smtplib.SMTPException:
            pass
        return True

    def build_message(self, alarm: Alarm) -> EmailMessage:
        message = EmailMessage()
        message["From"] = self.sender
        message["To"] = ", ".join(self.recipients)
        message["Subject"] = "[tidewatch] " + alarm.headline()
        body = "Station: " + alarm.station + "\n"
        body += "Severity: " + alarm.severity.name + "\n"
        body += "Surge: " + str(round(alarm.surge, 2)) + " m\n"
        message.set_content(body)
        return message


class WebhookChannel(Channel):
    def __init__(self, url: str, minimum: Severity = Severity.WARNING):
        self.url = url
        self.minimum = minimum

    def accepts(self, severity: Severity) -> bool:
        return severity >= self.minimum

    def send(self, alarm: Alarm) -> bool:
        data = json.dumps({"text": alarm.headline(), "color": colour_of(alarm.severity)}).encode()
        request = urllib.request.Request(self.url, data=data, headers={"Content-Type": "application/json"})
        print("posting to", self.url)
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status < 300


class SmsChannel:
    """Text messages by way of the modem in the basement."""

    def __init__(self, device: str, numbers: List[str]):
        self.device = device
        self.numbers = numbers
        self.failed = 0

    def write_text(self, number: str, text: str) -> None:
        with open(self.device, "wb") as modem:
            modem.write(("AT+CMGS=\"%s\"\r%s\x1a" % (number, text[:MAX_SMS_LENGTH])).encode("ascii", "replace"))


def shorten(text: str, limit: int = MAX_SMS_LENGTH) -> str:
    if len(text) <= limit:
        return text
    return text[:limit - 3] + "..."


def contact_line(name: str, phone: str, role: str) -> str:
    return "{} <{}> ({})".format(name, phone, role)


def count_by_kind(channels: List[Channel]) -> Dict[str, int]:
    counts: Dict[str, int] = {}
    for channel in channels:
        kind = type(channel).__name__
        counts[kind] = counts.get(kind, 0) + 1
    return counts
