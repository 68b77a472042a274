"""Documents as text or pictures for a model, parsed in a process that can be killed."""
