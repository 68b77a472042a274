"""Models: what they are asked and answer, and the providers that speak to them."""
