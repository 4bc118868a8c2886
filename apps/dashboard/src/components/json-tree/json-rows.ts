import { JSON_KIND, type JsonIndex } from './json-index.js';

/** Containers are open down to this depth; below it they are folded at first. */
const OPEN_DEPTH = 2;

/** Whether a container shows what is in it. @param toggled nodes that are not as they were at first. */
export function isOpen({ depth }: Pick<JsonIndex, 'depth'>, toggled: ReadonlySet<number>, node: number): boolean {
  return depth[node]! < OPEN_DEPTH !== toggled.has(node);
}

export const isContainer = ({ kind, size }: Pick<JsonIndex, 'kind' | 'size'>, node: number): boolean =>
  (kind[node] === JSON_KIND.object || kind[node] === JSON_KIND.array) && size[node]! > 0;

/** Nodes that are shown, top to bottom; one node a row. */
export function visibleNodes(index: JsonIndex, toggled: ReadonlySet<number>): Int32Array {
  const nodes = new Int32Array(index.count);
  let rows = 0;
  let node = 0;
  while (node < index.count) {
    nodes[rows++] = node;
    node = isContainer(index, node) && !isOpen(index, toggled, node) ? index.end[node]! : node + 1;
  }
  return nodes.subarray(0, rows);
}

/** What is toggled once all containers around a node are open, so that it is shown. */
export function withOpened(index: JsonIndex, toggled: ReadonlySet<number>, node: number): ReadonlySet<number> {
  const opened = new Set(toggled);
  for (let above = index.parent[node]!; above !== -1; above = index.parent[above]!) {
    if (isOpen(index, opened, above)) continue;
    if (opened.has(above)) opened.delete(above);
    else opened.add(above);
  }
  return opened;
}

/** The innermost node whose name or value an offset of the text lies in. */
export function nodeAt(index: JsonIndex, offset: number): number {
  let low = 0;
  let high = index.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (beginOf(index, middle) <= offset) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

const beginOf = ({ keyFrom, from }: JsonIndex, node: number): number =>
  keyFrom[node] === -1 ? from[node]! : keyFrom[node]!;

/** The number of an item in its array; -1 for what is no item. */
export function itemNumbers(index: JsonIndex): Int32Array {
  const numbers = new Int32Array(index.count).fill(-1);
  const next = new Int32Array(index.count);
  for (let node = 0; node < index.count; node++) {
    const above = index.parent[node]!;
    if (above !== -1 && index.kind[above] === JSON_KIND.array) numbers[node] = next[above]!++;
  }
  return numbers;
}
