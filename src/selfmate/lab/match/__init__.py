"""The Match view: two players, games going on."""
