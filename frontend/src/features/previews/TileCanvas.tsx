import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { formatNumber } from "../../design/format";
import styles from "./ArrayPreview.module.css";
import type { ValueRange, Values } from "./arrayValues";
import { paint, type ColourMap } from "./colourMaps";
import { fit, keepInBox, pixelAt, tileIndex, visibleRegion, zoomAt, type Plane, type Size, type View } from "./geometry";
import type { ArrayHeader, Region } from "./reads";

export interface DrawnTile {
  header: ArrayHeader;
  values: Values;
}

interface TileCanvasProps {
  plane: Plane;
  /** All of the plane, every so-many-th pixel. */
  coarse: DrawnTile;
  /** The part in view, in more detail; drawn over the other. */
  fine: DrawnTile | null;
  map: ColourMap;
  range: ValueRange;
  onPoint: (text: string | null) => void;
  /** Told what is in view once a zoom or a move rests; undefined: nobody asks. */
  onRegion: ((region: Region) => void) | undefined;
}

const REST_MS = 160;
const WHEEL = 0.0016;

/** The plane on a canvas: wheel or + and − magnify, dragging or the arrows move, double click or 0 shows all. */
export function TileCanvas({ plane, coarse, fine, map, range, onPoint, onRegion }: TileCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useSize(canvas);
  const [chosen, setChosen] = useState<View | null>(null);
  const view = useMemo(() => (chosen === null ? fit(plane, box) : keepInBox(chosen, plane, box)), [chosen, plane, box]);
  const below = useMemo(() => tilePicture(coarse, map, range), [coarse, map, range]);
  const above = useMemo(() => (fine === null ? null : tilePicture(fine, map, range)), [fine, map, range]);
  useLayoutEffect(() => draw(canvas.current, box, view, [below, above]), [box, view, below, above]);

  const zoom = useCallback(
    (factor: number, at = { x: box.width / 2, y: box.height / 2 }) => setChosen(zoomAt(view, factor, at, plane, box)),
    [view, plane, box],
  );
  const move = (dx: number, dy: number) => setChosen(keepInBox({ ...view, x: view.x + dx, y: view.y + dy }, plane, box));
  useWheel(canvas, zoom);
  useEffect(() => {
    if (onRegion === undefined || chosen === null || box.width === 0) return;
    const timer = setTimeout(() => onRegion(visibleRegion(view, plane, box)), REST_MS);
    return () => clearTimeout(timer);
  }, [onRegion, chosen, view, plane, box]);

  return (
    <canvas
      ref={canvas}
      className={styles.canvas}
      style={{ aspectRatio: Math.min(2.5, Math.max(0.6, plane.columns / plane.rows)) }}
      tabIndex={0}
      role="img"
      aria-label={`Image of ${plane.rows} rows and ${plane.columns} columns. Plus and minus magnify, arrows move, 0 shows all.`}
      onPointerMove={(event) => {
        if (event.buttons === 1) move(event.movementX, event.movementY);
        onPoint(describePixel(view, place(event), plane, fine, coarse));
      }}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerLeave={() => onPoint(null)}
      onDoubleClick={() => setChosen(null)}
      onKeyDown={(event) => {
        const action = keyAction(event.key, zoom, move, () => setChosen(null));
        if (action === undefined) return;
        event.preventDefault();
        action();
      }}
    />
  );
}

function keyAction(key: string, zoom: (factor: number) => void, move: (dx: number, dy: number) => void, all: () => void): (() => void) | undefined {
  switch (key) {
    case "+":
    case "=":
      return () => zoom(1.5);
    case "-":
      return () => zoom(1 / 1.5);
    case "0":
      return all;
    case "ArrowLeft":
      return () => move(40, 0);
    case "ArrowRight":
      return () => move(-40, 0);
    case "ArrowUp":
      return () => move(0, 40);
    case "ArrowDown":
      return () => move(0, -40);
    default:
      return undefined;
  }
}

const place = (event: React.PointerEvent) => ({ x: event.nativeEvent.offsetX, y: event.nativeEvent.offsetY });

function describePixel(view: View, at: { x: number; y: number }, plane: Plane, fine: DrawnTile | null, coarse: DrawnTile): string | null {
  const pixel = pixelAt(view, at, plane);
  if (pixel === null) return null;
  const inFine = fine === null ? -1 : tileIndex(fine.header, pixel.row, pixel.column);
  const value = inFine >= 0 && fine !== null ? fine.values[inFine] : coarse.values[tileIndex(coarse.header, pixel.row, pixel.column)];
  const text = value === undefined ? "–" : typeof value === "number" ? formatNumber(value) : value.toString();
  return `${plane.rowName} ${pixel.row}, ${plane.columnName} ${pixel.column}: ${text}`;
}

interface Picture {
  image: HTMLCanvasElement;
  header: ArrayHeader;
}

/** The tile in colours, one pixel for each of its values. */
function tilePicture({ header, values }: DrawnTile, map: ColourMap, range: ValueRange): Picture {
  const image = document.createElement("canvas");
  [image.height = 1, image.width = 1] = header.shape;
  const pixels = new Uint8ClampedArray(paint(values, map, range).buffer);
  if (pixels.length > 0) image.getContext("2d")?.putImageData(new ImageData(pixels, image.width, image.height), 0, 0);
  return { image, header };
}

function draw(canvas: HTMLCanvasElement | null, box: Size, view: View, pictures: readonly (Picture | null)[]): void {
  const context = canvas?.getContext("2d");
  if (canvas === null || context == null || box.width === 0) return;
  const density = window.devicePixelRatio;
  canvas.width = Math.round(box.width * density);
  canvas.height = Math.round(box.height * density);
  context.scale(density, density);
  for (const picture of pictures) {
    if (picture === null) continue;
    const { image, header } = picture;
    const [stepY = 1, stepX = 1] = header.step;
    const [y = 0, x = 0] = header.origin;
    context.imageSmoothingEnabled = view.scale * stepX * density < 1; // enlarged pixels stay squares
    context.drawImage(image, view.x + x * view.scale, view.y + y * view.scale, image.width * stepX * view.scale, image.height * stepY * view.scale);
  }
}

function useSize(element: React.RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => entry && setSize({ width: entry.contentRect.width, height: entry.contentRect.height }));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

/** React listens to wheels passively, which cannot keep the column from scrolling. */
function useWheel(canvas: React.RefObject<HTMLCanvasElement | null>, zoom: (factor: number, at: { x: number; y: number }) => void): void {
  useEffect(() => {
    const element = canvas.current;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * WHEEL), { x: event.offsetX, y: event.offsetY });
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, [canvas, zoom]);
}
