"""The laws of a payload, merge mode or merger as a verdict for people, and as files that show it elsewhere."""
