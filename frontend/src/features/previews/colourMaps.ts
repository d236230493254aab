import type { ValueRange, Values } from "./arrayValues";

export type ColourMap = "grey" | "viridis" | "magma" | "labels";

export const MAP_NAMES: Record<ColourMap, string> = { grey: "Grey", viridis: "Viridis", magma: "Magma", labels: "Labels" };

type Stop = readonly [number, number, number];

/** Evenly spaced stops; the maps are those of matplotlib (CC0). */
const STOPS: Record<Exclude<ColourMap, "labels">, readonly Stop[]> = {
  grey: [
    [0, 0, 0],
    [255, 255, 255],
  ],
  viridis: [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
  ],
  magma: [
    [0, 0, 4],
    [28, 16, 68],
    [79, 18, 123],
    [129, 37, 129],
    [181, 54, 122],
    [229, 80, 100],
    [251, 135, 97],
    [254, 194, 135],
    [252, 253, 191],
  ],
};

const STEPS = 256;
const OPAQUE = 0xff000000;

const pack = (r: number, g: number, b: number): number => (OPAQUE | (b << 16) | (g << 8) | r) >>> 0; // bytes R G B A in memory

/** 256 colours from the lowest to the highest value, packed as a canvas wants them. */
export function lookupTable(map: Exclude<ColourMap, "labels">): Uint32Array {
  const stops = STOPS[map];
  return Uint32Array.from({ length: STEPS }, (_, i) => {
    const at = (i / (STEPS - 1)) * (stops.length - 1);
    const from = stops[Math.floor(at)] as Stop;
    const to = stops[Math.min(stops.length - 1, Math.floor(at) + 1)] as Stop;
    const mix = (channel: 0 | 1 | 2) => Math.round(from[channel] + (to[channel] - from[channel]) * (at % 1));
    return pack(mix(0), mix(1), mix(2));
  });
}

/** A colour for a label: neighbours in number far apart in hue, the same one in every tile. 0 is the background. */
export function labelColour(label: number): number {
  if (label === 0) return pack(0, 0, 0);
  const hue = (label * 0.61803398875) % 1;
  const lightness = 0.5 + 0.14 * (Math.abs(Math.trunc(label)) % 3);
  return hslToPacked((hue + 1) % 1, 0.68, lightness);
}

function hslToPacked(hue: number, saturation: number, lightness: number): number {
  const amplitude = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n: number) => {
    const k = (n + hue * 12) % 12;
    return Math.round(255 * (lightness - amplitude * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return pack(channel(0), channel(8), channel(4));
}

/** Pixels of the tile. Values that are not numbers stay transparent. */
export function paint(values: Values, map: ColourMap, range: ValueRange): Uint32Array<ArrayBuffer> {
  return map === "labels" ? paintLabels(values) : paintRange(values, lookupTable(map), range);
}

function paintRange(values: Values, table: Uint32Array, { low, high }: ValueRange): Uint32Array<ArrayBuffer> {
  const pixels = new Uint32Array(values.length);
  const scale = high > low ? (STEPS - 1) / (high - low) : 0;
  for (let i = 0; i < values.length; i++) {
    const value = Number(values[i]);
    if (Number.isNaN(value)) continue;
    const step = scale === 0 ? (value > low ? STEPS - 1 : 0) : Math.round(Math.min(STEPS - 1, Math.max(0, (value - low) * scale)));
    pixels[i] = table[step] as number;
  }
  return pixels;
}

function paintLabels(values: Values): Uint32Array<ArrayBuffer> {
  const pixels = new Uint32Array(values.length);
  const colours = new Map<number, number>();
  for (let i = 0; i < values.length; i++) {
    const label = Number(values[i]);
    let colour = colours.get(label);
    if (colour === undefined) colours.set(label, (colour = labelColour(label)));
    pixels[i] = colour;
  }
  return pixels;
}
