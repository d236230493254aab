import type { TypeSpec } from "../../api/types";

/** Core types keep their colour everywhere; others get a stable one from their name. */
const CORE: Record<string, string> = {
  Array: "#3f7fd0",
  Image: "#3f7fd0",
  Label: "#8a5cd0",
  LabelImage: "#8a5cd0",
  Series: "#16958a",
  DataFrame: "#2c9460",
  Text: "#7b8594",
  Artifact: "#c07a1e",
  CompositeData: "#b84a86",
};

export const ANY_TYPE = "#8b95a5";

/** Colour of the first type in the chain, most special first, that has one. */
export function typeColour(name: string | undefined, types: ReadonlyMap<string, TypeSpec>): string {
  if (name === undefined || name === "DataObject") return ANY_TYPE;
  const spec = types.get(name);
  if (spec?.ui_color) return spec.ui_color;
  const known = CORE[name];
  if (known !== undefined) return known;
  const base = [...(spec?.type_chain ?? [])].reverse().find((ancestor) => ancestor !== name && ancestor in CORE);
  return base === undefined ? hashColour(name) : (CORE[base] ?? ANY_TYPE);
}

export function hashColour(name: string): string {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
  return `hsl(${hash % 360} 48% 50%)`;
}

const CATEGORIES = new Set(["io", "process", "code", "app", "ai", "subworkflow"]);

/** Name of the category's colour token. */
export function categoryOf(category: string): string {
  return CATEGORIES.has(category) ? category : "custom";
}
