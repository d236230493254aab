import {
  Background,
  Controls,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useNodesState,
  useStore,
  type EdgeTypes,
  type NodeChange,
  type NodeMouseHandler,
  type NodeTypes,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useCallback, useEffect } from "react";
import { useAppStore } from "../../store/store";
import { BlockNode } from "./BlockNode";
import "./flow.css";
import type { BlockFlowNode, Graph } from "./graph";
import { FIT, useFitOnResize, useSelection } from "./useCanvasView";
import styles from "./WorkflowCanvas.module.css";

const NODE_TYPES: NodeTypes = { block: BlockNode };
const EDGE_TYPES: EdgeTypes = {};
/** From this many nodes on a map helps more than it hides. */
const MINIMAP_FROM = 16;
/** Below this magnification words cannot be read, and are not drawn. */
const WORDS_FROM = 0.3;
/** Below this one the names of blocks are written larger, as on a map, and their ids left out. */
const FULL_TEXT_FROM = 0.65;
/** Port names are readable without pointing at a node from this magnification on. */
const NAMES_FROM = 1.35;

/** The chosen workflow as a graph. Positions changed by hand last while it is shown. */
export function WorkflowCanvas({ graph, name }: { graph: Graph; name: string }) {
  return (
    <ReactFlowProvider key={name}>
      <Canvas graph={graph} name={name} />
    </ReactFlowProvider>
  );
}

function Canvas({ graph, name }: { graph: Graph; name: string }) {
  const [nodes, setNodes, onNodesChange] = useNodesState<BlockFlowNode>(graph.nodes);
  const selectNode = useAppStore((state) => state.selectNode);
  const isFar = useStore((state) => state.transform[2] < WORDS_FROM);
  const isSmall = useStore((state) => state.transform[2] < FULL_TEXT_FROM);
  const isZoomed = useStore((state) => state.transform[2] >= NAMES_FROM);
  useEffect(() => setNodes((old) => keepPlaces(old, graph.nodes)), [graph.nodes, setNodes]);
  const { shown, noteSelection } = useSelection(nodes);
  const noteMove = useFitOnResize();

  const onChange = useCallback(
    (changes: NodeChange<BlockFlowNode>[]) => {
      noteSelection(changes);
      onNodesChange(changes.filter((change) => change.type !== "select"));
    },
    [noteSelection, onNodesChange],
  );
  const onNodeClick: NodeMouseHandler<BlockFlowNode> = useCallback(
    (event, node) => {
      const port = (event.target as HTMLElement).closest<HTMLElement>(".react-flow__handle.source")?.dataset.handleid;
      if (port !== undefined) selectNode(node.id, port);
    },
    [selectNode],
  );
  return (
    <section
      className={styles.canvas}
      aria-label={`Graph of ${name}`}
      data-testid="canvas"
      data-zoomed={isZoomed}
      data-small={isSmall}
      data-far={isFar}
    >
      <ReactFlow<BlockFlowNode>
        nodes={shown}
        edges={graph.edges}
        onNodesChange={onChange}
        onNodeClick={onNodeClick}
        onMoveStart={noteMove}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        multiSelectionKeyCode={null}
        selectionKeyCode={null}
        minZoom={0.05}
        maxZoom={2.5}
        fitView
        fitViewOptions={FIT}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={22} size={1.4} color="var(--grid)" />
        <Controls showInteractive={false} fitViewOptions={FIT} position="bottom-left" />
        {nodes.length >= MINIMAP_FROM && (
          <MiniMap pannable zoomable nodeColor={miniMapColour} nodeBorderRadius={16} ariaLabel="Map of the graph" />
        )}
      </ReactFlow>
    </section>
  );
}

const miniMapColour = (node: BlockFlowNode) => `var(--${node.data.category})`;

/** New definitions, each at the place that its node has on the screen. */
function keepPlaces(old: readonly BlockFlowNode[], next: readonly BlockFlowNode[]): BlockFlowNode[] {
  const seen = new Map(old.map((node) => [node.id, node]));
  return next.map((node) => {
    const before = seen.get(node.id);
    return before === undefined ? node : { ...before, data: node.data };
  });
}
