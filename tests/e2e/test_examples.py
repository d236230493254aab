"""The examples' numbers, against values that are computed here by other means."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from scipy import ndimage

from tests.conftest import Home

EIGHT = np.ones((3, 3), dtype=int)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def otsu(image: np.ndarray[Any, Any]) -> float:
    """The grey value that makes the variance between two classes largest, over 256 bins."""
    counts, edges = np.histogram(image, bins=256)
    centres = (edges[:-1] + edges[1:]) / 2
    below, above = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
    mean_below = np.cumsum(counts * centres) / below
    mean_above = (np.cumsum((counts * centres)[::-1]) / above[::-1])[::-1]
    between = below[:-1] * above[1:] * (mean_below[:-1] - mean_above[1:]) ** 2
    return float(centres[np.argmax(between)])


def disk(radius: int) -> np.ndarray[Any, Any]:
    offsets = np.arange(-radius, radius + 1)
    return (offsets[:, None] ** 2 + offsets**2) <= radius**2


def eccentricity(ys: np.ndarray[Any, Any], xs: np.ndarray[Any, Any]) -> float:
    """Of the ellipse with the same second moments as the pixels' centres."""
    small, large = np.sort(np.linalg.eigvalsh(np.cov(np.stack([ys, xs]), bias=True)))
    return math.sqrt(1 - small / large)


def expected_objects(path: Path) -> list[tuple[int, float, float]]:
    """Area, eccentricity and mean grey value of the coins, with scipy and numpy alone."""
    image = np.asarray(Image.open(path))
    smooth = ndimage.gaussian_filter(image.astype(float), 2.0, mode="nearest").astype(np.float32)
    closed = ndimage.binary_closing(np.pad(smooth > otsu(smooth), 8, mode="symmetric"), disk(3))[8:-8, 8:-8]
    labels, n = ndimage.label(closed, EIGHT)
    found = []
    for label in range(1, n + 1):
        ys, xs = np.nonzero(labels == label)
        if len(ys) >= 20:
            found.append((len(ys), eccentricity(ys, xs), float(image[ys, xs].mean())))
    return [values for values in found if values[0] >= 400 and values[1] <= 0.95]


@pytest.fixture(scope="module")
def home_of_examples(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("sci")
    for name in ("run", "state", "home"):
        (folder / name).mkdir(mode=0o700)
    return Home(folder)


def completed(home: Home, name: str) -> Path:
    project = home.project(name)
    answer = home.scistudio("run", project / "workflows" / f"{name}.yaml")
    assert answer.returncode == 0, answer.stderr
    assert " completed" in answer.stdout
    return project


def test_the_coins_are_measured_as_an_independent_computation_measures_them(home_of_examples: Home) -> None:
    project = completed(home_of_examples, "measure-objects")
    measured = rows(project / "data/processed/regions.csv")
    expected = expected_objects(project / "data/raw/coins.png")
    assert len(measured) == len(expected) > 10
    for row, (area, ecc, grey) in zip(measured, expected, strict=True):
        assert int(float(row["area"])) == area
        assert float(row["eccentricity"]) == pytest.approx(ecc, abs=1e-6)
        assert float(row["mean_intensity"]) == pytest.approx(grey, rel=1e-9)


def test_the_statistics_are_those_of_the_measured_coins(home_of_examples: Home) -> None:
    project = home_of_examples.folder / "measure-objects"
    areas = [float(row["area"]) for row in rows(project / "data/processed/regions.csv")]
    statistics = {row["measurement"]: row for row in rows(project / "data/processed/statistics.csv")}
    mean = math.fsum(areas) / len(areas)
    spread = math.sqrt(math.fsum((area - mean) ** 2 for area in areas) / (len(areas) - 1))
    assert int(statistics["area"]["n"]) == len(areas)
    assert float(statistics["area"]["mean"]) == pytest.approx(mean, rel=1e-12)
    assert float(statistics["area"]["sd"]) == pytest.approx(spread, rel=1e-9)
    assert (float(statistics["area"]["min"]), float(statistics["area"]["max"])) == (min(areas), max(areas))


def test_the_histogram_is_a_picture(home_of_examples: Home) -> None:
    with Image.open(home_of_examples.folder / "measure-objects/data/processed/areas.png") as picture:
        assert picture.format == "PNG"
        assert np.asarray(picture.convert("L")).std() > 10


def test_the_penguins_are_summarised_and_fitted_as_an_independent_computation_does(home_of_examples: Home) -> None:
    project = completed(home_of_examples, "penguins")
    complete = [row for row in rows(project / "data/raw/penguins.csv") if "NA" not in row.values() and "" not in row.values()]
    assert pq.read_table(project / "data/processed/complete.parquet").num_rows == len(complete) == 333
    for group in rows(project / "data/processed/summary.csv"):
        mass = [float(row["body_mass_g"]) for row in complete if (row["species"], row["sex"]) == (group["species"], group["sex"])]
        mean = math.fsum(mass) / len(mass)
        assert int(group["n"]) == len(mass)
        assert float(group["body_mass_g_mean"]) == pytest.approx(mean, rel=1e-9)
        assert float(group["body_mass_g_sd"]) == pytest.approx(
            math.sqrt(math.fsum((m - mean) ** 2 for m in mass) / (len(mass) - 1)), rel=1e-9
        )
    for fit in rows(project / "data/processed/fits.csv"):
        pairs = [(float(row["flipper_length_mm"]), float(row["body_mass_g"])) for row in complete if row["species"] == fit["group"]]
        mean_x, mean_y = (math.fsum(values) / len(pairs) for values in zip(*pairs, strict=True))
        sxy = math.fsum((x - mean_x) * (y - mean_y) for x, y in pairs)
        sxx = math.fsum((x - mean_x) ** 2 for x, _ in pairs)
        assert float(fit["slope"]) == pytest.approx(sxy / sxx, rel=1e-8)
        assert float(fit["intercept"]) == pytest.approx(mean_y - sxy / sxx * mean_x, rel=1e-7)
    report = (project / "data/processed/report.txt").read_text()
    assert all(species in report for species in ("Adelie", "Chinstrap", "Gentoo"))
