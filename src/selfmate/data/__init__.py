"""Datasets: imported games, teacher data, and what self-play leaves to replay."""
