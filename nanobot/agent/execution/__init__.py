"""One call path: guard, approval, deadline, outcome, budget, events; and batches of calls."""
