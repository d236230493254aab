/** Positions for nodes whose file gives none: left to right in layers, the same for the same graph. */

export interface Point {
  x: number;
  y: number;
}

export interface LayoutEdge {
  source: string;
  target: string;
}

export const COLUMN = 210;
export const ROW = 170;
const SWEEPS = 4;

/** Positions from the file where it has them, else computed. Nodes that lie on top of each other count as unplaced. */
export function placeNodes(ids: readonly string[], given: ReadonlyMap<string, Point>, edges: readonly LayoutEdge[]): Map<string, Point> {
  const taken = new Set<string>();
  const placed = new Map<string, Point>();
  for (const id of ids) {
    const at = given.get(id);
    if (at === undefined || taken.has(`${at.x},${at.y}`)) continue;
    taken.add(`${at.x},${at.y}`);
    placed.set(id, at);
  }
  const missing = ids.filter((id) => !placed.has(id));
  if (missing.length === 0) return placed;
  if (missing.length * 2 >= ids.length) return layered(ids, edges);
  const bottom = Math.max(...[...placed.values()].map((at) => at.y)) + ROW;
  const left = Math.min(...[...placed.values()].map((at) => at.x));
  missing.forEach((id, i) => placed.set(id, { x: left + i * COLUMN, y: bottom }));
  return placed;
}

/** Layer = longest way from a source; order within a layer = mean place of the neighbours before, then behind. */
export function layered(ids: readonly string[], edges: readonly LayoutEdge[]): Map<string, Point> {
  const forward = withoutCycles(ids, edges);
  const layers = groupByLayer(ids, forward);
  const before = neighbours(forward, "target", "source");
  const behind = neighbours(forward, "source", "target");
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    const order = down ? layers.slice(1) : layers.slice(0, -1).reverse();
    const rank = ranks(layers);
    for (const layer of order) {
      sortByMean(layer, down ? before : behind, rank);
      layer.forEach((id, i) => rank.set(id, i - (layer.length - 1) / 2));
    }
  }
  return new Map(
    layers.flatMap((layer, column) => layer.map((id, i) => [id, { x: column * COLUMN, y: (i - (layer.length - 1) / 2) * ROW }] as const)),
  );
}

function ranks(layers: readonly string[][]): Map<string, number> {
  return new Map(layers.flatMap((layer) => layer.map((id, i) => [id, i - (layer.length - 1) / 2] as const)));
}

function neighbours(edges: readonly LayoutEdge[], of: keyof LayoutEdge, other: keyof LayoutEdge): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const edge of edges) found.set(edge[of], [...(found.get(edge[of]) ?? []), edge[other]]);
  return found;
}

function sortByMean(layer: string[], near: ReadonlyMap<string, string[]>, rank: ReadonlyMap<string, number>): void {
  const mean = new Map(
    layer.map((id) => {
      const places = (near.get(id) ?? [id]).map((other) => rank.get(other) ?? 0);
      return [id, places.reduce((sum, place) => sum + place, 0) / places.length];
    }),
  );
  layer.sort((a, b) => (mean.get(a) ?? 0) - (mean.get(b) ?? 0) || (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
}

/** Edges that lead back to a node still being walked are left out: an invalid graph is shown too. */
function withoutCycles(ids: readonly string[], edges: readonly LayoutEdge[]): LayoutEdge[] {
  const known = new Set(ids);
  const out = new Map<string, LayoutEdge[]>(ids.map((id) => [id, []]));
  for (const edge of edges) if (known.has(edge.target)) out.get(edge.source)?.push(edge);
  const state = new Map<string, "open" | "closed">();
  const kept: LayoutEdge[] = [];
  for (const start of ids) {
    const stack = state.has(start) ? [] : [{ id: start, next: 0 }];
    while (stack.length > 0) {
      const top = stack.at(-1) as { id: string; next: number };
      state.set(top.id, "open");
      const edge = out.get(top.id)?.[top.next++];
      if (edge === undefined) {
        state.set(top.id, "closed");
        stack.pop();
      } else if (state.get(edge.target) !== "open") {
        kept.push(edge);
        if (!state.has(edge.target)) stack.push({ id: edge.target, next: 0 });
      }
    }
  }
  return kept;
}

function groupByLayer(ids: readonly string[], edges: readonly LayoutEdge[]): string[][] {
  const waiting = new Map(ids.map((id) => [id, 0]));
  for (const edge of edges) waiting.set(edge.target, (waiting.get(edge.target) ?? 0) + 1);
  const behind = neighbours(edges, "source", "target");
  const layers: string[][] = [];
  let layer = ids.filter((id) => waiting.get(id) === 0);
  while (layer.length > 0) {
    layers.push(layer);
    const next: string[] = [];
    for (const target of layer.flatMap((id) => behind.get(id) ?? [])) {
      const left = (waiting.get(target) ?? 0) - 1;
      waiting.set(target, left);
      if (left === 0) next.push(target);
    }
    layer = next;
  }
  return layers;
}
