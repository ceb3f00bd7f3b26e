"""The command line. Commands import what they need when they run, so help is instant."""

try:
    from evenhand.cli.main import main
except KeyboardInterrupt:
    raise SystemExit(130) from None

__all__ = ["main"]
