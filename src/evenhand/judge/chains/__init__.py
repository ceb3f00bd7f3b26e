"""Coreference chains against each other."""
