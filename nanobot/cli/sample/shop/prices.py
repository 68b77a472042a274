"""Net prices to gross ones."""

VAT = 0.19


def gross(net: float) -> float:
    """The price with VAT, rounded to cents."""
    return round(net * (1 + VAT), 2)
