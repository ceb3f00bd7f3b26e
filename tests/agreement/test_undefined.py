"""Coefficients that are undefined, and why."""

from __future__ import annotations

import evenhand as eh


def test_gamma_is_undefined_where_samples_have_no_disorder() -> None:
    one, other = (eh.spans([[(label, 0, 1)]], lengths=[1]) for label in "AB")
    found = eh.agree({"x": one, "y": other}, gamma=True, samples=1, seed=1, resamples=0)
    assert found.unitizing.gamma is None
    assert found.undefined["unitizing.gamma"] == "no disagreement is expected by chance"


def test_reasons_say_what_is_lacking() -> None:
    whole = eh.spans({"d": [("A", 0, 2)]}, lengths={"d": 2})
    one_code = "all codes are the same, so that no chance agreement can be told from true agreement"
    assert eh.agree({"x": whole, "y": whole}).undefined["labels.A.kappa"] == one_code
    other = eh.spans({"e": [("A", 0, 2)]}, lengths={"e": 2})
    found = eh.agree({"x": whole, "y": other}, alpha_u=True, gamma=True).undefined
    apart = "the two have no document in common"
    assert [found[f"unitizing.{name}"] for name in ("u_alpha", "cu_alpha", "alpha_U", "gamma")] == [apart] * 4
    one = eh.spans([[("A", 0, 1)]], lengths=[1])
    found = eh.agree({"x": one, "y": one}, alpha_u=True).undefined
    assert found["unitizing.alpha_U"] == found["unitizing.alpha_U_labels.A"] == "no disagreement is expected by chance"
    stacked = eh.spans([[("A", 0, 2), ("A", 1, 3), ("B", 0, 1)]], lengths=[3])
    other = eh.spans([[("A", 0, 2), ("B", 0, 2), ("B", 1, 3)]], lengths=[3])
    found = eh.agree({"x": stacked, "y": other}, alpha_u=True).undefined
    for label, name in (("A", "x"), ("B", "y")):
        assert found[f"unitizing.alpha_U_labels.{label}"].endswith(f", and some of {name} do")
    nothing = eh.spans({"d": [], "e": [("A", 0, 1)]}, lengths={"d": 2, "e": 1})
    found = eh.agree({"x": eh.spans({"d": []}, lengths={"d": 2}), "y": nothing}).undefined
    assert found["labels.A.f1.mean"] == "nobody uses the label in a document of two annotators"
