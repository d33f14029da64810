"""SSP packages (.ssp, a folder, or a single .ssd): reading, writing, and making new ones."""

from sspsim.formats.archive import write
from sspsim.formats.package import Package, Variant, new_package, read

__all__ = ["Package", "Variant", "new_package", "read", "write"]
