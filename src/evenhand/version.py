"""The version, in its own module, which loads nothing else."""

__version__ = "0.1.0"
