"""SciStudio's SDK: typed data, blocks, storage and the code inside a worker."""
