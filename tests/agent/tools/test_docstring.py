"""Docstrings in the three usual styles."""

from __future__ import annotations

import pytest

from nanobot.agent.tools.docstring import read_docstring

_GOOGLE = """Search the index.

    Results come best first.

    Args:
        query: What to look for,
            in plain words.
        limit (int): How many.

    Returns:
        The hits.
    """
_NUMPY = """Search the index.

    Results come best first.

    Parameters
    ----------
    query : str
        What to look for,
        in plain words.
    limit : int, optional
        How many.

    Returns
    -------
    list
        The hits.
    """
_SPHINX = """Search the index.

    Results come best first.

    :param query: What to look for,
        in plain words.
    :param int limit: How many.
    :returns: The hits.
    """


@pytest.mark.parametrize("text", [_GOOGLE, _NUMPY, _SPHINX], ids=["google", "numpy", "sphinx"])
def test_description_and_parameters_are_read(text: str) -> None:
    doc = read_docstring(text)

    assert doc.description == "Search the index.\n\nResults come best first."
    assert doc.parameters == {"query": "What to look for, in plain words.", "limit": "How many."}


@pytest.mark.parametrize("text", ["", "One line.", "Two\nlines.", "Note: this\nis: text."])
def test_plain_text_is_all_description(text: str) -> None:
    doc = read_docstring(text)

    assert doc.description == text
    assert doc.parameters == {}
