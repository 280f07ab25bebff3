"""`python -m selfmate`, the same as the `selfmate` command."""

from selfmate.cli import main

main()
