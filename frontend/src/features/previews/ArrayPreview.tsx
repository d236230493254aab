import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { ItemSource } from "../../api/client";
import { Loading } from "../../design/EmptyState";
import { FailureNote } from "../../design/FailureNote";
import { formatNumber } from "../../design/format";
import { ArrayControls } from "./ArrayControls";
import styles from "./ArrayPreview.module.css";
import { decodeValues, dtypeKind, dtypeName, rangeFrom, type ValueRange } from "./arrayValues";
import type { ColourMap } from "./colourMaps";
import { planeOf } from "./geometry";
import { LinePlot } from "./LinePlot";
import { previewQueries, type ArrayTile, type Region } from "./reads";
import { TileCanvas } from "./TileCanvas";
import type { DrawnTile } from "./tileDrawing";

const OVERVIEW_SIDE = 1024;

interface ArrayPreviewProps {
  source: ItemSource;
  /** Most general first. */
  typeChain: readonly string[];
}

/** A plane of an array: colours from the range of its data, the value under the pointer, sliders for the other axes. */
export function ArrayPreview({ source, typeChain }: ArrayPreviewProps) {
  const [indices, setIndices] = useState<Readonly<Record<string, number>>>({});
  const overview = useQuery({ ...previewQueries.array(source, indices, null, OVERVIEW_SIDE), placeholderData: keepPreviousData });
  if (overview.isError) return <FailureNote error={overview.error} onRetry={() => void overview.refetch()} />;
  if (overview.isPending) return <Loading label="Reading the array…" />;
  const { header } = overview.data;
  try {
    decodeValues(header.dtype, new ArrayBuffer(0));
  } catch (error) {
    return <FailureNote error={error} />;
  }
  if (header.full_shape.length === 0) return <SingleValue tile={overview.data} />;
  if (header.full_shape.length === 1) return <LinePlot tile={overview.data} />;
  const looksLikeLabels = dtypeKind(header.dtype) === "integer" && [...typeChain, source.port].some((name) => /label|segment/i.test(name));
  return (
    <ArrayPlane
      source={source}
      overview={overview.data}
      indices={indices}
      onIndices={setIndices}
      firstMap={looksLikeLabels ? "labels" : "grey"}
    />
  );
}

function SingleValue({ tile }: { tile: ArrayTile }) {
  const value = decodeValues(tile.header.dtype, tile.body)[0];
  return <p className={styles.single}>{typeof value === "number" ? formatNumber(value) : String(value)}</p>;
}

interface ArrayPlaneProps {
  source: ItemSource;
  overview: ArrayTile;
  indices: Readonly<Record<string, number>>;
  onIndices: (indices: Readonly<Record<string, number>>) => void;
  firstMap: ColourMap;
}

function ArrayPlane({ source, overview, indices, onIndices, firstMap }: ArrayPlaneProps) {
  const { header } = overview;
  const plane = useMemo(() => planeOf(header), [header]);
  const [map, setMap] = useState(firstMap);
  const [chosenRange, setChosenRange] = useState<ValueRange | null>(null);
  const [region, setRegion] = useState<Region | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const isStrided = header.step.some((step) => step > 1);
  const detail = useQuery({ ...previewQueries.array(source, indices, region, OVERVIEW_SIDE), enabled: isStrided && region !== null });

  const coarse = useMemo(() => drawnTile(overview), [overview]);
  const fine = useMemo(() => (isStrided && detail.data !== undefined ? drawnTile(detail.data) : null), [detail.data, isStrided]);
  const dataRange = useMemo(
    () => (dtypeKind(header.dtype) === "bool" ? { low: 0, high: 1 } : rangeFrom(header.vmin, header.vmax, coarse.values)),
    [header, coarse],
  );
  const range = chosenRange ?? dataRange;
  const onRegion = useCallback((next: Region) => setRegion((old) => (JSON.stringify(old) === JSON.stringify(next) ? old : next)), []);
  return (
    <div className={styles.preview} data-testid="array-preview">
      <TileCanvas
        plane={plane}
        coarse={coarse}
        fine={fine}
        map={map}
        range={range}
        onPoint={setPointed}
        onRegion={isStrided ? onRegion : undefined}
      />
      <p className={styles.readout} role="status" data-testid="pixel-value">
        {pointed ??
          `${header.full_shape.join(" × ")} · ${dtypeName(header.dtype)} · ${formatNumber(dataRange.low)} to ${formatNumber(dataRange.high)}`}
      </p>
      <ArrayControls
        plane={plane}
        isInteger={dtypeKind(header.dtype) === "integer"}
        map={map}
        onMap={setMap}
        range={range}
        onRange={setChosenRange}
        isAutomatic={chosenRange === null}
        indices={indices}
        onIndices={onIndices}
      />
    </div>
  );
}

function drawnTile({ header, body }: ArrayTile): DrawnTile {
  return { header, values: decodeValues(header.dtype, body) };
}
