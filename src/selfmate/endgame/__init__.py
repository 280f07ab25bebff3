"""The mini-chess: king and queen against a lone king, as tables, solved, and played by nets."""
