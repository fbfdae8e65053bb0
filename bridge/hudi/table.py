"""HudiTable: a table on storage with the answers that its readers give, in this process or as lazy DataFrames."""
