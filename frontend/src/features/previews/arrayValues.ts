/** Values of an array tile as they came: little-endian, in C order. */

export type Values =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

export type Kind = "integer" | "bool" | "float";

const SHORT: Record<string, string> = {
  b1: "bool",
  i1: "int8",
  u1: "uint8",
  i2: "int16",
  u2: "uint16",
  i4: "int32",
  u4: "uint32",
  i8: "int64",
  u8: "uint64",
  f2: "float16",
  f4: "float32",
  f8: "float64",
  c8: "complex64",
  c16: "complex128",
};

/** `<f4`, `|u1` and `float32` alike as the long name. */
export function dtypeName(dtype: string): string {
  const plain = dtype.replace(/^[<>|=]/, "");
  return SHORT[plain] ?? plain;
}

export function dtypeKind(dtype: string): Kind {
  const name = dtypeName(dtype);
  return name === "bool" ? "bool" : /^(float|complex)/.test(name) ? "float" : "integer";
}

const VIEWS: Record<string, (body: ArrayBuffer) => Values> = {
  bool: (body) => new Uint8Array(body),
  uint8: (body) => new Uint8Array(body),
  int8: (body) => new Int8Array(body),
  uint16: (body) => new Uint16Array(body),
  int16: (body) => new Int16Array(body),
  uint32: (body) => new Uint32Array(body),
  int32: (body) => new Int32Array(body),
  uint64: (body) => new BigUint64Array(body),
  int64: (body) => new BigInt64Array(body),
  float16: (body) => Float32Array.from(new Uint16Array(body), halfToNumber),
  float32: (body) => new Float32Array(body),
  float64: (body) => new Float64Array(body),
  complex64: (body) => magnitudes(new Float32Array(body)),
  complex128: (body) => magnitudes(new Float64Array(body)),
};

/** Of complex numbers the magnitude. Throws for a type that cannot be drawn. */
export function decodeValues(dtype: string, body: ArrayBuffer): Values {
  const view = VIEWS[dtypeName(dtype)];
  if (view === undefined) throw new Error(`Values of type ${dtype} cannot be drawn.`);
  return view(body);
}

function magnitudes(parts: Float32Array | Float64Array): Float64Array {
  return Float64Array.from({ length: parts.length / 2 }, (_, i) => Math.hypot(parts[2 * i] ?? 0, parts[2 * i + 1] ?? 0));
}

export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -24 * fraction;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

export interface ValueRange {
  low: number;
  high: number;
}

/** Smallest and largest finite value; 0 to 1 where there is none. */
export function rangeOf(values: Values): ValueRange {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = Number(values[i]);
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? { low: 0, high: 1 } : { low, high };
}

/** What the server says, else what the tile holds. */
export function rangeFrom(vmin: number | string | null, vmax: number | string | null, values: Values): ValueRange {
  const low = vmin === null ? NaN : Number(vmin);
  const high = vmax === null ? NaN : Number(vmax);
  return Number.isFinite(low) && Number.isFinite(high) ? { low, high } : rangeOf(values);
}
