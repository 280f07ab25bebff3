"""The documentation site: what is generated for it. `make docs-site` builds it."""
