from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from scistudio.blocks.io.loaders import LoadData


def load(path: Path, text: str | bytes, **options: Any) -> Any:
    """Write ``text``, load it as a DataFrame and return the object."""
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    block = LoadData({"path": str(path), "core_type": "DataFrame", **options})
    return block.run({}, block.config)["data"][0]


@pytest.fixture
def csv(tmp_path: Path) -> Any:
    return lambda text, **options: load(tmp_path / "in.csv", text, **options)


def test_long_integers_beside_empty_cells_stay_exact(csv: Any) -> None:
    table = csv("id,n\n,1\n1700000000000000011,2\n9007199254740993,\n").to_memory()
    assert table.schema.types == [pa.int64(), pa.int64()]
    assert table.to_pydict() == {"id": [None, 1700000000000000011, 9007199254740993], "n": [1, 2, None]}


def test_long_integers_beside_the_word_nan_stay_exact(csv: Any) -> None:
    assert csv("id\nNaN\n1700000000000000011\n").to_memory()["id"].to_pylist() == [None, 1700000000000000011]


def test_integers_beyond_64_bits_become_decimals_and_that_is_noted(csv: Any) -> None:
    frame = csv("id\n99999999999999999999\n1\n\n")
    assert frame.to_memory()["id"].to_pylist()[:2] == [Decimal("99999999999999999999"), Decimal(1)]
    assert frame.user["csv"]["columns"] == {"id": "decimal: integers beyond 64 bits"}


def test_a_large_integer_beside_fractions_stays_text(csv: Any) -> None:
    frame = csv("v\n12345678901234567891\n0.5\n")
    assert frame.to_memory()["v"].to_pylist() == ["12345678901234567891", "0.5"]


def test_leading_zeros_stay_text_and_hexadecimal_too(csv: Any) -> None:
    frame = csv('zip,hex,n,f\n01234,0x1F,1,0.5\n98765,0x20,-2,"1e3"\n,,,\n')
    assert frame.to_memory().to_pydict() == {
        "zip": ["01234", "98765", None],
        "hex": ["0x1F", "0x20", None],
        "n": [1, -2, None],
        "f": [0.5, 1000.0, None],
    }
    assert set(frame.user["csv"]["columns"]) == {"zip", "hex"}


def test_a_column_that_changes_its_kind_late_keeps_every_value(tmp_path: Path) -> None:
    rows = "".join(f"{n},\n" for n in range(300_000))
    table = load(tmp_path / "late.csv", f"i,v\n{rows}300000,123456\n300001,abc\n").to_memory()
    assert table.num_rows == 300_002
    assert table["v"].to_pylist()[-3:] == [None, "123456", "abc"]
    single = load(tmp_path / "single.csv", "v\n" + "1\n" * 200_000 + "A\n").to_memory()
    assert single["v"].to_pylist()[-2:] == ["1", "A"]


def test_a_file_in_another_encoding_says_where_and_what_to_set(csv: Any) -> None:
    western = b"ort,wert\nM\xfcnchen,1\nK\xf6ln,2\n"
    with pytest.raises(ValueError, match=r"0xfc at byte offset 10 \(line 2\).*Set 'encoding'"):
        csv(western)
    assert csv(western, encoding="latin-1").to_memory()["ort"].to_pylist() == ["München", "Köln"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_decide_and_are_no_part_of_the_first_name(csv: Any, encoding: str) -> None:
    frame = csv("ort,wert\nKöln,2\n".encode(encoding))
    assert frame.to_memory().to_pydict() == {"ort": ["Köln"], "wert": [2]}
    assert frame.user["csv"]["encoding"].replace("_", "-") == encoding


def test_semicolons_and_decimal_commas_are_found_out(csv: Any) -> None:
    frame = csv("Zeit;Druck;Preis\n2021-03-02 10:00:00;1013,2;1.234,56\n2021-03-02 10:00:05;1013,25;7,5\n")
    table = frame.to_memory()
    assert table["Druck"].to_pylist() == [1013.2, 1013.25]
    assert table["Preis"].to_pylist() == [1234.56, 7.5]
    assert pa.types.is_timestamp(table.schema.field("Zeit").type)
    assert (frame.user["csv"]["delimiter"], frame.user["csv"]["decimal"]) == (";", ",")


def test_a_tab_file_named_csv_is_read_and_a_set_delimiter_wins(csv: Any) -> None:
    assert csv("a\tb\n1\t2\n").to_memory().to_pydict() == {"a": [1], "b": [2]}
    assert csv("a;b,c\n1;2,3\n", delimiter=";").to_memory().column_names == ["a", "b,c"]


def test_comment_lines_before_the_header_are_left_out(csv: Any) -> None:
    frame = csv("# made, by us\n# 2024\na,b\n1,2\n")
    assert frame.to_memory().to_pydict() == {"a": [1], "b": [2]}
    assert frame.user["csv"]["comment_lines"] == 2
    assert csv("#id,name\n1,x\n").to_memory().column_names == ["#id", "name"]


def test_the_header_may_be_missing_or_further_down(csv: Any) -> None:
    assert csv("1,2\n3,4\n", header=False).to_memory().to_pydict() == {"column_1": [1, 3], "column_2": [2, 4]}
    assert csv("title\n\na,b\n1,2\n", header=3).to_memory().to_pydict() == {"a": [1], "b": [2]}


def test_quoted_cells_line_ends_and_odd_names_shift_nothing(csv: Any) -> None:
    table = csv('a,a,,"x\ny"\r\n"1,5","q ""z""","line\r\nbreak",7').to_memory()
    assert table.column_names == ["a", "a_2", "column_3", "x\ny"]
    assert table.to_pylist() == [{"a": "1,5", "a_2": 'q "z"', "column_3": "line\r\nbreak", "x\ny": 7}]


def test_a_row_that_is_too_long_is_named_by_its_line(csv: Any) -> None:
    with pytest.raises(ValueError, match=r"in\.csv, line 3: expected 2 cells, got 3: '1,2,3'"):
        csv("a,b\n1,2\n1,2,3\n")


def test_a_file_without_rows_keeps_its_columns_and_an_empty_one_is_refused(csv: Any) -> None:
    table = csv("a,b\n").to_memory()
    assert (table.column_names, table.num_rows) == (["a", "b"], 0)
    with pytest.raises(ValueError, match="is empty"):
        csv("")


def test_text_na_is_text_unless_it_is_declared_missing(csv: Any) -> None:
    text = "country,n,t\nNA,NA,2020-01-01\nDE,5,NA\n,6,2020-01-03\n"
    table = csv(text).to_memory()
    assert table["country"].to_pylist() == ["NA", "DE", None]
    assert table["n"].to_pylist() == [None, 5, 6]
    assert table["t"].null_count == 1
    assert csv(text, na_values=["NA"]).to_memory()["country"].to_pylist() == [None, "DE", None]


def test_types_may_be_set_by_column_and_a_wrong_value_is_found(csv: Any) -> None:
    table = csv("id,n\n7,1\n8,2\n", dtypes={"id": "text", "n": "float"}).to_memory()
    assert table.to_pydict() == {"id": ["7", "8"], "n": [1.0, 2.0]}
    with pytest.raises(ValueError, match=r"column 'n', line 3: 'x' is no int64.*dtypes"):
        csv("id,n\n7,1\n8,x\n", dtypes={"n": "int"})
    with pytest.raises(ValueError, match=r"does not have: \['z'\]"):
        csv("id\n1\n", dtypes={"z": "int"})


def test_dates_in_mixed_order_stay_text_and_instants_keep(csv: Any) -> None:
    table = csv("d,t\n27/04/19,2019-04-05T01:30:00+02:00\n05/04/19,2019-04-05T01:30:00+02:00\n").to_memory()
    assert table["d"].to_pylist() == ["27/04/19", "05/04/19"]
    assert table["t"].cast(pa.int64()).to_pylist()[0] == 1554420600


@pytest.mark.parametrize("cell", ["007", " 007", "+007", "   007", '"007"', "0x1F"])
@pytest.mark.parametrize("row", [0, 1, 70_000])
def test_leading_zeros_are_seen_wherever_they_stand(csv: Any, cell: str, row: int) -> None:
    rows = ["1,22.5,2020-01-01 00:00:00"] * row + [f"{cell},0.5,2020-01-01 00:00:01"]
    frame = csv("a,b,t\n" + "\n".join(rows))
    assert frame.user["csv"]["columns"] == {"a": "text: leading zeros"}
    assert frame.to_memory()["a"].to_pylist()[-1].strip() == cell.strip('" ')
    assert pa.types.is_floating(frame.to_memory().schema.field("b").type)
