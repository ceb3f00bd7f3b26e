"""x"""


def plot(*a): ...
