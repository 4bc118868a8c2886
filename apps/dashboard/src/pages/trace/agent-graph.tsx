import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Button } from '../../components/button.js';
import {
  costDigits,
  formatColumnCost,
  formatCost,
  formatCostExactly,
  formatDuration,
  formatDurationExactly,
} from '../../components/format.js';
import { kindWord } from '../../features/kind-words.js';
import { ScrolledTable } from '../../features/statistics/statistics-tables.js';
import { kindColour } from '../../features/trace-span.js';
import { buildGraph, stepInGraph, type AgentGraph, type GraphEdge, type GraphNode } from './build-graph.js';

import { MATCH, type FilteredSpans } from './tree-rows.js';
import type { TraceModel } from './use-trace.js';
import styles from './agent-graph.module.css';

interface AgentGraphViewProps {
  model: TraceModel;
  filtered: FilteredSpans | null;
  selected: number;
  onSelect(place: number, by: 'key' | 'press'): void;
}

const BOX = { width: 220, height: 60, right: 72, below: 18, edge: 12 };
const xOf = ({ column }: GraphNode): number => BOX.edge + column * (BOX.width + BOX.right);
const yOf = ({ row }: GraphNode): number => BOX.edge + row * (BOX.height + BOX.below);

/** Agents, tools and models of a trace, and which led to which, as a picture or a table. */
export function AgentGraphView({ model, filtered, selected, onSelect }: AgentGraphViewProps) {
  const graph = useMemo(() => buildGraph(model.tree, model.times), [model]);
  const [isTable, setIsTable] = useState(false);
  /** Selects the first span of a node, or the one after that which is selected. */
  const show = (node: GraphNode): void => {
    const at = node.places.indexOf(selected);
    onSelect(node.places[(at + 1) % node.places.length]!, 'press');
  };
  const shown = selected === -1 ? undefined : graph.nodes[graph.nodeOf[selected]!];
  return (
    <div className={styles.view}>
      <div className={styles.head}>
        <span className={styles.note}>
          {graph.more > 0 && `${formatCounted(graph.more, 'more node')} not shown. `}
          {!isTable && 'Arrow keys go along lines and between nodes. Enter shows the next span of a node.'}
        </span>
        <Button variant="quiet" icon="table" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          Show as table
        </Button>
      </div>
      {isTable ? (
        <GraphTable graph={graph} onShow={show} />
      ) : (
        <GraphPicture {...{ graph, filtered, shown }} onShow={show} />
      )}
      <p className={styles.note} aria-live="polite">
        {shown &&
          `${shown.name}: span ${formatCount(shown.places.indexOf(selected) + 1)} of ${formatCount(shown.places.length)}`}
      </p>
    </div>
  );
}

interface GraphPictureProps {
  graph: AgentGraph;
  filtered: FilteredSpans | null;
  shown: GraphNode | undefined;
  onShow(node: GraphNode): void;
}

function GraphPicture({ graph, filtered, shown, onShow }: GraphPictureProps) {
  const { nodes, edges } = graph;
  const frame = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState<number | null>(null);
  const current = Math.min(reached ?? Math.max(0, shown === undefined ? 0 : nodes.indexOf(shown)), nodes.length - 1);
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !/^(?:Arrow|Home|End)/.test(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const next = stepInGraph(graph, current, event.key);
    setReached(next);
    const box = frame.current?.querySelectorAll('button')[next];
    box?.focus();
    box?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  const width = Math.max(...nodes.map(xOf)) + BOX.width + BOX.right;
  const height = Math.max(...nodes.map(yOf)) + BOX.height + BOX.edge;
  return (
    // The boxes inside have the focus; this only hears the keys that reach it from them.
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus
    <div ref={frame} role="application" aria-label="Agent graph" className={styles.frame} onKeyDown={press}>
      <div className={styles.picture} style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true" className={styles.lines}>
          {edges.map((edge, at) => (
            <EdgeLine key={`${edge.from} ${edge.to}`} {...{ nodes, edge }} order={at + 1} />
          ))}
        </svg>
        {nodes.map((node, at) => (
          <button
            key={`${node.type} ${node.name}`}
            type="button"
            tabIndex={at === current ? 0 : -1}
            aria-current={node === shown ? 'true' : undefined}
            data-dimmed={filtered !== null && !node.places.some((place) => filtered.kept[place] === MATCH)}
            className={styles.node}
            style={{
              ...{ left: xOf(node), top: yOf(node), width: BOX.width, height: BOX.height },
              borderInlineStartColor: `var(${kindColour(node.type)})`,
            }}
            onFocus={() => setReached(at)}
            onClick={() => onShow(node)}
          >
            <span className={styles.name} dir="auto" title={node.name}>
              {node.name}
            </span>
            <span>
              {wordOf(node)}, {formatCounted(node.places.length, 'span')}
              {node.errors > 0 && ', '}
              {node.errors > 0 && <b className="failed">{formatCounted(node.errors, 'error')}</b>}
            </span>
            <span>
              {formatDuration(node.time)}
              {node.cost !== null && `, ${formatCost(node.cost)}`}
            </span>
            <NextNodes words={nextOf(graph, at)} />
          </button>
        ))}
      </div>
    </div>
  );
}

/** A line between two boxes, with its place in the order of first use and how often it was gone. */
function EdgeLine({ nodes, edge, order }: { nodes: readonly GraphNode[]; edge: GraphEdge; order: number }) {
  const [from, to] = [nodes[edge.from]!, nodes[edge.to]!];
  const start = { x: xOf(from) + BOX.width, y: yOf(from) + BOX.height / 2 };
  const isForward = to.column > from.column;
  // A line back, or to the same column, goes round and comes in from the right, below the middle.
  const end = isForward
    ? { x: xOf(to), y: yOf(to) + BOX.height / 2 }
    : { x: xOf(to) + BOX.width, y: yOf(to) + BOX.height - BOX.edge };
  const bend = isForward ? (end.x - start.x) / 2 : BOX.right - BOX.edge;
  const endBend = isForward ? end.x - bend : end.x + bend;
  const path = `M${start.x} ${start.y} C${start.x + bend} ${start.y} ${endBend} ${end.y} ${end.x} ${end.y}`;
  const middle = { x: (start.x + end.x + 3 * (start.x + bend + endBend)) / 8, y: (start.y + end.y) / 2 };
  const tip = isForward ? -6 : 6;
  return (
    <g>
      <path d={path} className={styles.line} />
      <path d={`M${end.x + tip} ${end.y - 4}L${end.x} ${end.y}L${end.x + tip} ${end.y + 4}z`} className={styles.tip} />
      <text x={middle.x} y={middle.y - 3} className={styles.label}>
        {order}
        {edge.count > 1 && ` ×${formatCount(edge.count)}`}
      </text>
    </g>
  );
}

const wordOf = ({ type }: GraphNode): string => kindWord({ kind: { type } });

function nextOf({ nodes, edges }: AgentGraph, at: number): string {
  const ways = edges.filter(({ from }) => from === at);
  return ways.map(({ to, count }) => `${nodes[to]!.name} ×${formatCount(count)}`).join(', ');
}

/** What the lines from a node say, for those who do not see them. */
const NextNodes = ({ words }: { words: string }) =>
  words !== '' && <span className="visually-hidden">leads to {words}</span>;

const COLUMNS = ['Node', 'Kind', 'Spans', 'Errors', 'Time', 'Cost', 'Leads to'];

function GraphTable({ graph, onShow }: { graph: AgentGraph; onShow(node: GraphNode): void }) {
  const digits = costDigits(graph.nodes.map(({ cost }) => cost));
  return (
    <div className={styles.frame}>
      <ScrolledTable caption="Agent graph" isCaptionHidden columns={COLUMNS} starts={['Kind', 'Leads to']}>
        {graph.nodes.map((node, at) => (
          <tr key={`${node.type} ${node.name}`}>
            <th scope="row">
              <button type="button" className={styles.show} onClick={() => onShow(node)}>
                {node.name}
              </button>
            </th>
            <td data-align="start">{wordOf(node)}</td>
            <td>{formatCount(node.places.length)}</td>
            <td>{formatCount(node.errors)}</td>
            <td title={formatDurationExactly(node.time)}>{formatDuration(node.time)}</td>
            <td title={formatCostExactly(node.cost)}>{formatColumnCost(node.cost, digits)}</td>
            <td data-align="start">{nextOf(graph, at)}</td>
          </tr>
        ))}
      </ScrolledTable>
    </div>
  );
}
