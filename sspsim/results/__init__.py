"""What a run leaves behind: rows, files, statistics, pictures."""
