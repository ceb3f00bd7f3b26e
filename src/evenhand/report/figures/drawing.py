"""A figure of matplotlib that shows itself in notebooks, without `%matplotlib inline`."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure

from evenhand.report.figures.canvas import style

_DOTS_PER_INCH, _SCALE = 100, 2
"""How large an inch is on a screen, and how many dots of the image stand for one of these, for sharp screens."""


class Drawing(Figure):
    """As any figure, and an image where a notebook asks for one."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """The image, and how large a notebook shows it."""
        buffer = BytesIO()
        with style():
            self.savefig(buffer, format="png", dpi=_SCALE * _DOTS_PER_INCH)
        width, height = (round(_DOTS_PER_INCH * inches) for inches in self.get_size_inches())
        return buffer.getvalue(), {"width": width, "height": height}
