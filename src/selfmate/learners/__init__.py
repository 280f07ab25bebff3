"""Ways of learning chess: one folder a family, and what families share."""
