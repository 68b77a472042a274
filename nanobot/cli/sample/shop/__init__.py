"""Prices of the corner shop."""
