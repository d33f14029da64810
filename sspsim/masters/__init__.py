"""Master algorithms: what one communication step means, and how long it is."""

from sspsim.masters.base import Master
from sspsim.masters.gauss_jacobi import GaussJacobi
from sspsim.masters.gauss_seidel import GaussSeidel

MASTERS: dict[str, type[Master]] = {master.name: master for master in (GaussJacobi, GaussSeidel)}

__all__ = ["MASTERS", "GaussJacobi", "GaussSeidel", "Master"]
