"""`python -m nanobot`."""

from __future__ import annotations

import sys

from nanobot.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
