"""A stand-in for ripgrep, in Python, where there is no binary for the platform.

It takes the flags that searches here use, and writes what ripgrep would. It runs as a program of
its own (`python -m nanobot.workspace.pygrep`), so that a pattern that never ends can be killed.
"""
