"""Protocols: how a network comes to its weights, one small module for each, listed in ``studies/protocol_table.py``."""
