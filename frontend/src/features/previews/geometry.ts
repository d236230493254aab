import type { ArrayHeader, Region } from "./reads";

/** An axis that is not drawn: a slider chooses the place on it. */
export interface OtherAxis {
  /** How a read names it: its name, else its number. */
  key: string;
  label: string;
  size: number;
}

export interface Plane {
  rows: number;
  columns: number;
  rowName: string;
  columnName: string;
  others: OtherAxis[];
}

/** Which axes are drawn: y and x by name, else the last two. */
export function planeOf(header: Pick<ArrayHeader, "all_axes" | "full_shape">): Plane {
  const { full_shape: shape, all_axes } = header;
  const names = shape.map((_, i) => all_axes[i] ?? "");
  const row = names.includes("y") && names.includes("x") ? names.indexOf("y") : shape.length - 2;
  const column = names.includes("y") && names.includes("x") ? names.indexOf("x") : shape.length - 1;
  const others = shape.flatMap((size, i) =>
    i === row || i === column ? [] : [{ key: names[i] || String(i), label: names[i] || `axis ${i}`, size }],
  );
  return {
    rows: shape[row] ?? 1,
    columns: shape[column] ?? 1,
    rowName: names[row] || "row",
    columnName: names[column] || "column",
    others,
  };
}

/** The part of the plane that is in view: `scale` screen pixels for each of its pixels, its corner at `x`, `y` of the screen. */
export interface View {
  x: number;
  y: number;
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

/** All of the plane, in the middle; small planes are enlarged. */
export function fit(plane: Plane, box: Size): View {
  const scale = Math.min(box.width / plane.columns, box.height / plane.rows) || 1;
  return { scale, x: (box.width - plane.columns * scale) / 2, y: (box.height - plane.rows * scale) / 2 };
}

const MOST_SCREEN_PIXELS = 40;

/** Magnify by `factor`; the place under the pointer stays under it. Never smaller than all of the plane. */
export function zoomAt(view: View, factor: number, at: { x: number; y: number }, plane: Plane, box: Size): View {
  const whole = fit(plane, box);
  const scale = Math.min(Math.max(view.scale * factor, whole.scale), Math.max(MOST_SCREEN_PIXELS, whole.scale));
  if (scale === whole.scale) return whole;
  const ratio = scale / view.scale;
  return keepInBox({ scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio }, plane, box);
}

/** No empty border on a side while the other side hides something. */
export function keepInBox(view: View, plane: Plane, box: Size): View {
  const place = (offset: number, length: number, room: number) =>
    length <= room ? (room - length) / 2 : Math.min(0, Math.max(room - length, offset));
  return {
    scale: view.scale,
    x: place(view.x, plane.columns * view.scale, box.width),
    y: place(view.y, plane.rows * view.scale, box.height),
  };
}

/** Row and column of the plane at a place of the screen; null outside. */
export function pixelAt(view: View, at: { x: number; y: number }, plane: Plane): { row: number; column: number } | null {
  const column = Math.floor((at.x - view.x) / view.scale);
  const row = Math.floor((at.y - view.y) / view.scale);
  return row >= 0 && row < plane.rows && column >= 0 && column < plane.columns ? { row, column } : null;
}

const STEP_OF_REGION = 64;

/** The part in view, a little more on each side and on a coarse grid, so that small moves need no new read. */
export function visibleRegion(view: View, plane: Plane, box: Size): Region {
  const down = (value: number) => Math.max(0, Math.floor(value / STEP_OF_REGION) * STEP_OF_REGION);
  const up = (value: number, most: number) => Math.min(most, Math.ceil(value / STEP_OF_REGION) * STEP_OF_REGION);
  const y = down(-view.y / view.scale);
  const x = down(-view.x / view.scale);
  const bottom = up((box.height - view.y) / view.scale, plane.rows);
  const right = up((box.width - view.x) / view.scale, plane.columns);
  return { y, x, height: Math.max(1, bottom - y), width: Math.max(1, right - x) };
}

/** Where a tile's value for a pixel of the plane lies in its body; -1: not in this tile. */
export function tileIndex(header: Pick<ArrayHeader, "shape" | "origin" | "step">, row: number, column: number): number {
  const [height = 0, width = 0] = header.shape;
  const i = Math.floor((row - (header.origin[0] ?? 0)) / (header.step[0] ?? 1));
  const j = Math.floor((column - (header.origin[1] ?? 0)) / (header.step[1] ?? 1));
  return i >= 0 && i < height && j >= 0 && j < width ? i * width + j : -1;
}
