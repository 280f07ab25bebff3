"""Who is stronger: matches, openings, Elo, the ladder."""
