"""The FMI cross-check: runs a folder of FMUs with reference results and judges what comes out."""
