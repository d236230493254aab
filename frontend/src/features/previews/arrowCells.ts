import { DataType, type Vector } from "apache-arrow";
import { formatNumber } from "../../design/format";

export interface Cell {
  text: string;
  /** All digits, where the cell shows fewer. */
  full?: string;
  tone?: "number";
  /** There is no value. */
  isNull?: true;
}

/** A value as a cell shows it. Integers, decimals and times keep every digit; JavaScript's numbers never touch them. */
export function cellOf(column: Vector, row: number): Cell {
  const value: unknown = column.get(row);
  const type = column.type as DataType;
  if (value === null || value === undefined) return { text: "null", isNull: true, ...(isNumber(type) ? { tone: "number" } : {}) };
  if (DataType.isDecimal(type)) return { text: decimalText(value as Uint32Array, type.scale), tone: "number" };
  if (DataType.isTimestamp(type))
    return { text: timestampText(rawInteger(column, row), type.unit, type.timezone != null && type.timezone !== "") };
  if (DataType.isDate(type)) return { text: new Date(Number(value)).toISOString().slice(0, 10) };
  return plainCell(value);
}

const isNumber = (type: DataType) => DataType.isInt(type) || DataType.isFloat(type) || DataType.isDecimal(type);

function plainCell(value: unknown): Cell {
  switch (typeof value) {
    case "bigint":
      return { text: value.toString(), tone: "number" };
    case "number": {
      const text = formatNumber(value);
      return { text, tone: "number", ...(text === String(value) ? {} : { full: String(value) }) };
    }
    case "string":
      return { text: value };
    case "boolean":
      return { text: String(value) };
    default:
      return { text: value instanceof Uint8Array ? bytesText(value) : JSON.stringify(value, bigintsAsText) };
  }
}

const bigintsAsText = (_: string, value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

function bytesText(bytes: Uint8Array): string {
  const shown = Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return bytes.length > 16 ? `${shown} … (${bytes.length} bytes)` : shown;
}

/** Little-endian words in two's complement, `scale` digits behind the point. */
export function decimalText(words: Uint32Array, scale: number): string {
  let value = 0n;
  for (let i = words.length - 1; i >= 0; i--) value = (value << 32n) | BigInt(words[i] ?? 0);
  value = BigInt.asIntN(words.length * 32, value);
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
  const point = digits.length - scale;
  return `${value < 0n ? "-" : ""}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ""}`;
}

const PER_SECOND = [1n, 1_000n, 1_000_000n, 1_000_000_000n] as const;

/** A time with the digits that its unit has: the library would round to milliseconds. */
export function timestampText(ticks: bigint, unit: number, isUtc: boolean): string {
  const perSecond = PER_SECOND[unit] ?? 1n;
  const fraction = ((ticks % perSecond) + perSecond) % perSecond;
  const seconds = Number((ticks - fraction) / perSecond);
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return ticks.toString();
  const digits = fraction === 0n ? "" : `.${fraction.toString().padStart(unit * 3, "0")}`;
  return `${date.toISOString().slice(0, 19).replace("T", " ")}${digits}${isUtc ? " UTC" : ""}`;
}

function rawInteger(column: Vector, row: number): bigint {
  let offset = row;
  for (const part of column.data) {
    if (offset < part.length) return (part.values as BigInt64Array)[offset] ?? 0n;
    offset -= part.length;
  }
  return 0n;
}
