"""The dialects a program may be written against, as data and pure functions."""
