"""What compares runs: reproducing the mini-chess seed's tables."""
