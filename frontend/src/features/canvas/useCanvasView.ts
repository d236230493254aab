import { useReactFlow, useStore, type NodeChange } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { useAppStore } from "../../store/store";
import { NODE_SIZE } from "./BlockNode";
import type { BlockFlowNode } from "./graph";

export const FIT = { padding: 0.1, maxZoom: 1.1 };

/** While nobody has moved the view, all of the graph stays in sight when the canvas changes its size. */
export function useFitOnResize(): (event: MouseEvent | TouchEvent | null) => void {
  const isMoved = useRef(false);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const { fitView } = useReactFlow();
  useEffect(() => {
    if (!isMoved.current && width > 0) void fitView(FIT);
  }, [width, height, fitView]);
  return useCallback((event) => {
    isMoved.current ||= event !== null; // null: the page itself moved it
  }, []);
}

/** The store alone knows which node is selected. One chosen elsewhere (in the list of problems) is brought into view. */
export function useSelection(nodes: BlockFlowNode[]) {
  const selected = useAppStore((state) => state.selectedNode);
  const selectNode = useAppStore((state) => state.selectNode);
  const ours = useRef<string | null>(null);
  const { getNode, setCenter, getZoom } = useReactFlow<BlockFlowNode>();
  useEffect(() => {
    const node = selected === null || selected === ours.current ? undefined : getNode(selected);
    ours.current = selected;
    if (node === undefined) return;
    const zoom = Math.max(getZoom(), 0.7);
    void setCenter(node.position.x + NODE_SIZE / 2, node.position.y + NODE_SIZE / 2, { zoom, duration: 250 });
  }, [selected, getNode, setCenter, getZoom]);

  const noteSelection = useCallback(
    (changes: NodeChange<BlockFlowNode>[]) => {
      const selections = changes.filter((change) => change.type === "select");
      const chosen = selections.find((change) => change.selected)?.id ?? null;
      const isLetGo = selections.some((change) => !change.selected && change.id === useAppStore.getState().selectedNode);
      if (chosen === null && !isLetGo) return;
      ours.current = chosen;
      selectNode(chosen);
    },
    [selectNode],
  );
  const shown = useMemo(() => nodes.map((node) => (node.id === selected ? { ...node, selected: true } : node)), [nodes, selected]);
  return { shown, noteSelection };
}
