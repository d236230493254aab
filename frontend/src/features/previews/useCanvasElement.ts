import { useEffect, useLayoutEffect, useState } from "react";
import type { Size } from "./geometry";

/** Magnification for each unit that a wheel turns, as an exponent. */
const WHEEL = 0.0016;

/** How large the element is on the screen. */
export function useSize(element: React.RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(
      ([entry]) => entry && setSize({ width: entry.contentRect.width, height: entry.contentRect.height }),
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

/** React listens to wheels passively, which cannot keep the column from scrolling. */
export function useWheel(
  canvas: React.RefObject<HTMLCanvasElement | null>,
  zoom: (factor: number, at: { x: number; y: number }) => void,
): void {
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
