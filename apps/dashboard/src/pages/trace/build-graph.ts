import { kindTypeOf } from '../../features/kind-words.js';
import { measureOf, modelOf, statusWordOf, type TraceSpan } from '../../features/trace-span.js';
import type { SpanTimes } from './span-times.js';
import type { SpanTree } from './span-tree.js';

/** All spans of a trace with one kind and one name: an agent, a tool, a model or a step. */
export interface GraphNode {
  /** Kind of its spans, see {@link kindTypeOf}. */
  type: string;
  name: string;
  /** Places of its spans, in the order of the tree. */
  places: number[];
  errors: number;
  /** Dollars of its spans with all below them; `null` where none has a cost. */
  cost: number | null;
  /** Milliseconds that its spans took; one within another of the same node counts once. */
  time: number;
  /** Steps from where the trace begins, and the position among the nodes with as many. */
  column: number;
  row: number;
}

/** One node leads to another: as parent of a span, or before it where neither has a parent. */
export interface GraphEdge {
  from: number;
  to: number;
  count: number;
}

/** The agent graph of a trace; nodes and edges in the order of their first use. */
export interface AgentGraph {
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  /** Node of a span by its place; -1 where it is not among those that are shown. */
  nodeOf: Int32Array;
  more: number;
}

const NONE = -1;
/** More boxes are no picture any more. */
export const GRAPH_NODES_MAX = 200;

/** Builds the agent graph (docs/spec/dashboard-trace.md#agent-graph), in time proportional to the number of spans. */
export function buildGraph(tree: SpanTree, times: SpanTimes): AgentGraph {
  const costs = costsWithBelow(tree);
  const nodes: GraphNode[] = [];
  const positions = new Map<string, number>();
  /** The place behind the last outermost span of each node. */
  const until: number[] = [];
  const nodeOf = new Int32Array(tree.spans.length).fill(NONE);
  for (const [place, span] of tree.spans.entries()) {
    const type = kindTypeOf(span);
    const name = nodeName(span, type);
    const key = `${type}\n${name}`;
    let position = positions.get(key);
    if (position === undefined) positions.set(key, (position = positions.size));
    if (position >= GRAPH_NODES_MAX) continue;
    nodes[position] ??= { type, name, places: [], errors: 0, cost: null, time: 0, column: 0, row: 0 };
    const node = nodes[position]!;
    nodeOf[place] = position;
    node.places.push(place);
    if (statusWordOf(span) === 'failed') node.errors++;
    if (place < (until[position] ?? 0)) continue;
    until[position] = tree.end[place]!;
    node.time += times.end[place]! - times.start[place]!;
    if (!Number.isNaN(costs[place]!)) node.cost = (node.cost ?? 0) + costs[place]!;
  }
  const edges = findEdges(tree, nodeOf);
  placeNodes(nodes, edges);
  return { nodes, edges, nodeOf, more: positions.size - nodes.length };
}

/** A call is known by its model, a tool or an agent by its own name where the kind has one, all else by the span's. */
function nodeName(span: TraceSpan, type: string): string {
  const { name } = span.kind;
  const own = type === 'llm_call' ? modelOf(span) : type === 'tool_call' || type === 'agent' ? name : null;
  return typeof own === 'string' && own !== '' ? own : span.name || 'Untitled span';
}

/** Costs of spans with all below them, by place; not a number where there is none. */
function costsWithBelow({ spans, parent }: SpanTree): Float64Array {
  const costs = Float64Array.from(spans, (span) => measureOf(span, 'cost') ?? Number.NaN);
  for (let place = costs.length - 1; place >= 0; place--) {
    const above = parent[place]!;
    if (above === NONE || Number.isNaN(costs[place]!)) continue;
    costs[above] = (Number.isNaN(costs[above]!) ? 0 : costs[above]!) + costs[place]!;
  }
  return costs;
}

function findEdges(tree: SpanTree, nodeOf: Int32Array): GraphEdge[] {
  const edges = new Map<number, GraphEdge>();
  let before = NONE;
  for (const [place, to] of nodeOf.entries()) {
    const above = tree.parent[place]!;
    const from = above === NONE ? before : nodeOf[above]!;
    if (above === NONE) before = to;
    // One call after another of the same model leads nowhere else; an agent that calls itself does.
    if (to === NONE || from === NONE || (from === to && above === NONE)) continue;
    const key = from * GRAPH_NODES_MAX + to;
    const known = edges.get(key);
    if (known) known.count++;
    else edges.set(key, { from, to, count: 1 });
  }
  return [...edges.values()];
}

/** Puts each node into the column of its distance from the start, in the order of first use. */
function placeNodes(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): void {
  const next = nodes.map((): number[] => []);
  for (const { from, to } of edges) next[from]!.push(to);
  const column = new Int32Array(nodes.length).fill(NONE);
  for (let start = 0; start < nodes.length; start++) {
    if (column[start] !== NONE) continue;
    column[start] = 0;
    const queue = [start];
    for (const position of queue) {
      for (const to of next[position]!) {
        if (column[to] !== NONE) continue;
        column[to] = column[position]! + 1;
        queue.push(to);
      }
    }
  }
  const rows: number[] = [];
  for (const [position, node] of nodes.entries()) {
    node.column = column[position]!;
    node.row = rows[node.column] ?? 0;
    rows[node.column] = node.row + 1;
  }
}

/** The node that a key leads to: right and left along the first edge, up and down within the column. */
export function stepInGraph({ nodes, edges }: AgentGraph, at: number, key: string): number {
  const from = nodes[at]!;
  const inColumn = (row: number): number => {
    const found = nodes.findIndex((node) => node.column === from.column && node.row === row);
    return found === NONE ? at : found;
  };
  const firstOf = (found: readonly number[], side: 1 | -1): number =>
    found.find((other) => (nodes[other]!.column - from.column) * side > 0) ?? found.find((other) => other !== at) ?? at;
  if (key === 'ArrowDown') return inColumn(from.row + 1);
  if (key === 'ArrowUp') return inColumn(from.row - 1);
  if (key === 'ArrowRight')
    return firstOf(
      edges.flatMap((edge) => (edge.from === at ? [edge.to] : [])),
      1,
    );
  if (key === 'ArrowLeft')
    return firstOf(
      edges.flatMap((edge) => (edge.to === at ? [edge.from] : [])),
      -1,
    );
  if (key === 'Home') return 0;
  return key === 'End' ? nodes.length - 1 : at;
}
