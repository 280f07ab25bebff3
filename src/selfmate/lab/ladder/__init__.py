"""The Ladder view: who is how strong, and how soon."""
