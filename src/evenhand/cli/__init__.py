"""The command line: one module a command. Commands load what they need when they run, so that help is instant."""

from evenhand.cli.main import main

__all__ = ["main"]
