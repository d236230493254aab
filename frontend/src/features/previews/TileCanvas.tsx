import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import styles from "./ArrayPreview.module.css";
import type { ValueRange } from "./arrayValues";
import type { ColourMap } from "./colourMaps";
import { fit, keepInBox, visibleRegion, zoomAt, type Plane, type View } from "./geometry";
import type { Region } from "./reads";
import { describePixel, draw, tilePicture, type DrawnTile } from "./tileDrawing";
import { useSize, useWheel } from "./useCanvasElement";

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

function keyAction(
  key: string,
  zoom: (factor: number) => void,
  move: (dx: number, dy: number) => void,
  all: () => void,
): (() => void) | undefined {
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
