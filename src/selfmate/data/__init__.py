"""What learners learn from: the teacher's games as NDJSON, and that read into arrays."""
