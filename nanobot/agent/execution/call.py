"""One call, from request to outcome: the only place where a tool is awaited."""
