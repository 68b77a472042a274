"""What it costs to import the core and to start the program.

Run: `python benchmarks/startup.py [ROUNDS]`. Every round starts each program once, in turn, so that
a slow moment of the machine hits all alike; the table shows medians.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_TOOLS = "import nanobot.agent.tools"
_NAMES = "from nanobot.agent.tools import Tool, ToolLoader, ToolRegistry, StringSchema"
_MEMORY = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
_TYPER = """
import typer
app = typer.Typer()

def show(value: bool) -> None:
    if value:
        print("1.0")
        raise typer.Exit

@app.callback(invoke_without_command=True)
def root(version: bool = typer.Option(False, "--version", callback=show, is_eager=True)) -> None:
    pass

@app.command()
def run() -> None:
    pass

app()
"""


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _kilobytes(code: str) -> int:
    command = [sys.executable, "-c", f"{code}; {_MEMORY}"]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Measure and print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with tempfile.TemporaryDirectory() as folder:
        bare_typer = Path(folder) / "bare.py"
        bare_typer.write_text(_TYPER)
        program = Path(sys.executable).with_name("nanobot")
        commands = {
            "bare": [sys.executable, "-c", "import json, asyncio"],
            "tools": [sys.executable, "-c", _TOOLS],
            "names": [sys.executable, "-c", _NAMES],
            "typer": [sys.executable, str(bare_typer), "--version"],
            "version": [str(program), "--version"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                times[name].append(_seconds(command))
    medians = {name: statistics.median(values) for name, values in times.items()}
    bare = _kilobytes("import json, asyncio")
    memory = {code: (_kilobytes(code) - bare) / 1024 for code in (_TOOLS, _NAMES)}
    print(f"Python {sys.version.split()[0]}, {rounds} interleaved rounds, medians\n")
    print("| work | ours | beside | ratio | bar |")
    print("|---|---|---|---|---|")
    _row(f"`{_TOOLS}`", medians["tools"], "json + asyncio", medians["bare"], 2.5)
    _row(f"`{_NAMES}`", medians["names"], "json + asyncio", medians["bare"], 2.5)
    _row("`nanobot --version`", medians["version"], "bare typer", medians["typer"], 1.2)
    for code, megabytes in memory.items():
        print(f"| memory of `{code}` | {megabytes:+.1f} MB | json + asyncio | | +12 MB |")


def _row(work: str, ours: float, peer: str, theirs: float, bar: float) -> None:
    print(
        f"| {work} | {ours * 1000:.0f} ms | {peer} {theirs * 1000:.0f} ms "
        f"| {ours / theirs:.2f} | {bar} |"
    )


if __name__ == "__main__":
    main()
