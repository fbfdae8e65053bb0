"""Bad input, drawn at random, to every verb and every public function: right rows or one sentence, and nothing left."""
