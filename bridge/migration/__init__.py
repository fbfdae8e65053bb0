"""What takes the place of a payload class: the plan of a move, candidates on trial, generated mergers."""
