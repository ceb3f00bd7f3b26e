"""The command line: one module a command. Commands load what they need when they run, so that help is instant."""

try:
    from evenhand.cli.main import main
except KeyboardInterrupt:
    raise SystemExit(130) from None

__all__ = ["main"]
