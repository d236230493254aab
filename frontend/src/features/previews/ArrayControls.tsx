import { RotateCcw } from "lucide-react";
import { useId } from "react";
import { IconButton } from "../../design/Button";
import styles from "./ArrayPreview.module.css";
import type { ValueRange } from "./arrayValues";
import { MAP_NAMES, type ColourMap } from "./colourMaps";
import type { OtherAxis, Plane } from "./geometry";

interface ArrayControlsProps {
  plane: Plane;
  isInteger: boolean;
  map: ColourMap;
  onMap: (map: ColourMap) => void;
  range: ValueRange;
  /** null: from the data again. */
  onRange: (range: ValueRange | null) => void;
  isAutomatic: boolean;
  indices: Readonly<Record<string, number>>;
  onIndices: (indices: Readonly<Record<string, number>>) => void;
}

export function ArrayControls({ plane, isInteger, map, onMap, range, onRange, isAutomatic, indices, onIndices }: ArrayControlsProps) {
  const field = useId();
  const maps = (Object.keys(MAP_NAMES) as ColourMap[]).filter((one) => one !== "labels" || isInteger);
  return (
    <div className={styles.controls}>
      {plane.others.map((axis) => (
        <AxisSlider key={axis.key} axis={axis} at={indices[axis.key] ?? 0} onChange={(at) => onIndices({ ...indices, [axis.key]: at })} />
      ))}
      <div className={styles.row}>
        <label htmlFor={field}>Colours</label>
        <select id={field} value={map} onChange={(event) => onMap(event.target.value as ColourMap)}>
          {maps.map((one) => (
            <option key={one} value={one}>
              {MAP_NAMES[one]}
            </option>
          ))}
        </select>
      </div>
      {map !== "labels" && (
        <div className={styles.row} role="group" aria-label="Range of values">
          <span className={styles.caption}>Range</span>
          <RangeField label="Lowest value shown" value={range.low} onChange={(low) => onRange({ ...range, low })} />
          <span aria-hidden>–</span>
          <RangeField label="Highest value shown" value={range.high} onChange={(high) => onRange({ ...range, high })} />
          <IconButton
            label="Range of the data"
            icon={<RotateCcw size={14} aria-hidden />}
            disabled={isAutomatic}
            onClick={() => onRange(null)}
          />
        </div>
      )}
    </div>
  );
}

function RangeField({ label, value, onChange }: { label: string; value: number; onChange: (value: number) => void }) {
  return (
    <input
      type="number"
      className={styles.number}
      aria-label={label}
      title={label}
      step="any"
      key={value}
      defaultValue={Number(value.toPrecision(6))}
      onBlur={(event) => commit(event.currentTarget, value, onChange)}
      onKeyDown={(event) => event.key === "Enter" && commit(event.currentTarget, value, onChange)}
    />
  );
}

/** What cannot be read as a number goes back to what it was. */
function commit(input: HTMLInputElement, old: number, onChange: (value: number) => void): void {
  const value = input.valueAsNumber;
  if (!Number.isFinite(value)) input.value = String(old);
  else if (value !== Number(old.toPrecision(6))) onChange(value);
}

function AxisSlider({ axis, at, onChange }: { axis: OtherAxis; at: number; onChange: (at: number) => void }) {
  const field = useId();
  return (
    <div className={styles.row}>
      <label htmlFor={field}>{axis.label}</label>
      <input id={field} type="range" min={0} max={axis.size - 1} value={at} onChange={(event) => onChange(event.target.valueAsNumber)} />
      <output htmlFor={field}>
        {at + 1} / {axis.size}
      </output>
    </div>
  );
}
