import { useMemo, useState } from "react";
import { formatNumber } from "../../design/format";
import styles from "./ArrayPreview.module.css";
import { decodeValues, dtypeName, rangeOf } from "./arrayValues";
import type { ArrayTile } from "./reads";

const WIDTH = 400;
const HEIGHT = 220;
const PAD = 8;

/** Values along a single axis. */
export function LinePlot({ tile }: { tile: ArrayTile }) {
  const { header, body } = tile;
  const [pointed, setPointed] = useState<number | null>(null);
  const values = useMemo(() => decodeValues(header.dtype, body), [header, body]);
  const range = useMemo(() => rangeOf(values), [values]);
  const step = header.step.at(-1) ?? 1;
  const origin = header.origin.at(-1) ?? 0;
  const line = useMemo(() => linePath(Array.from(values, Number), range.low, range.high), [values, range]);
  const shown = pointed === null ? undefined : values[pointed];
  return (
    <div className={styles.preview} data-testid="array-preview">
      <svg
        className={styles.plot}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Line of ${header.full_shape[0] ?? 0} values from ${formatNumber(range.low)} to ${formatNumber(range.high)}`}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          setPointed(Math.max(0, Math.min(values.length - 1, Math.round(((event.clientX - box.left) / box.width) * (values.length - 1)))));
        }}
        onPointerLeave={() => setPointed(null)}
      >
        <path d={line} vectorEffect="non-scaling-stroke" />
      </svg>
      <p className={styles.readout} role="status" data-testid="pixel-value">
        {pointed === null || shown === undefined
          ? `${header.full_shape.join(" × ")} · ${dtypeName(header.dtype)} · ${formatNumber(range.low)} to ${formatNumber(range.high)}`
          : `${header.all_axes[0] ?? "index"} ${origin + pointed * step}: ${typeof shown === "number" ? formatNumber(shown) : shown.toString()}`}
      </p>
    </div>
  );
}

/** Values that are not finite leave a gap. */
export function linePath(values: readonly number[], low: number, high: number): string {
  const x = (i: number) => (values.length < 2 ? WIDTH / 2 : (i / (values.length - 1)) * WIDTH);
  const y = (value: number) => HEIGHT - PAD - (high > low ? (value - low) / (high - low) : 0.5) * (HEIGHT - 2 * PAD);
  let path = "";
  let isOpen = false;
  values.forEach((value, i) => {
    if (Number.isFinite(value)) path += `${isOpen ? "L" : "M"}${x(i).toFixed(2)} ${y(value).toFixed(2)}`;
    isOpen = Number.isFinite(value);
  });
  return path;
}
