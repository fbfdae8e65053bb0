"""How sharp the tests are: mutants of the code, each run through the tests that cover its line."""
