"""Formulas on one line."""

from __future__ import annotations

import pytest
from lxml import etree

from nanobot.documents.officemath import formula_text
from tests.documents.office import M


def _text(inner: str) -> str:
    return formula_text(etree.fromstring(f"<m:oMath {M}>{inner}</m:oMath>"))


def _run(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


_FORMULAS = {
    "run": (_run("x"), "x"),
    "fraction": (f"<m:f><m:num>{_run('1')}</m:num><m:den>{_run('x+1')}</m:den></m:f>", "1/(x+1)"),
    "scripts": (
        f"<m:sSubSup><m:e>{_run('x')}</m:e><m:sub>{_run('i')}</m:sub><m:sup>{_run('2')}</m:sup></m:sSubSup>",
        "x_i^2",
    ),
    "root": (f"<m:rad><m:deg/><m:e>{_run('x')}</m:e></m:rad>", "√(x)"),
    "cube root": (f"<m:rad><m:deg>{_run('3')}</m:deg><m:e>{_run('x')}</m:e></m:rad>", "√[3](x)"),
    "brackets": (
        f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>{_run("x")}</m:e></m:d>',
        "[x]",
    ),
    "brackets in brackets": (
        '<m:d><m:e><m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e/></m:d></m:e></m:d>',
        "([])",
    ),
    "sum": (
        (f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{_run("i=1")}</m:sub>'
        f"<m:sup>{_run('n')}</m:sup><m:e>{_run('i')}</m:e></m:nary>"),
        "∑_(i=1)^n i",
    ),
    "matrix": (
        f"<m:m><m:mr><m:e>{_run('a')}</m:e><m:e>{_run('b')}</m:e></m:mr><m:mr><m:e>{_run('c')}</m:e></m:mr></m:m>",
        "[a, b; c]",
    ),
    "function": (f"<m:func><m:fName>{_run('sin')}</m:fName><m:e>{_run('x')}</m:e></m:func>", "sin x"),
    "deleted": (f'<w:del xmlns:w="w">{_run("x")}</w:del>{_run("y")}', "y"),
}  # fmt: skip


@pytest.mark.parametrize(("inner", "text"), _FORMULAS.values(), ids=_FORMULAS.keys())
def test_a_formula_is_one_line(inner: str, text: str) -> None:
    assert _text(inner) == text


def test_a_formula_deeper_than_30_levels_keeps_its_letters() -> None:
    inner = "<m:rad><m:e>" * 100 + _run("x") + "</m:e></m:rad>" * 100

    assert _text(inner).replace("√(", "").rstrip(")") == "x"
