"""One module per file format, each with read() and write(); safety of archives and XML in one place each."""
