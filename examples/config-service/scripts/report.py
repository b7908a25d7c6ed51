"""Print the flags that a running config-service knows."""

import json
import sys
import os
from urllib.request import urlopen


def fetch(base):
    with urlopen(base + "/flags") as answer:
        return json.load(answer)


def render(names):
    return "\n".join("- " + name for name in names)


def main():
    base = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8080"
    print(render(fetch(base)))


if __name__ == "__main__":
    main()
