"""Classes of the kinds that users write, run by real Hudi and by this project on the same batches."""
