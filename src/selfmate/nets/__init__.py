"""Nets in torch, one configuration class each, and what trains and evaluates them."""
