"""The agent: its tools, the execution of calls, and the loop that drives them."""
