"""The site, built from docs/ by `make site`."""
