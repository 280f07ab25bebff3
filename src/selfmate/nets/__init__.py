"""Torch modules and their shapes. They know of rows and columns, not of chess."""
