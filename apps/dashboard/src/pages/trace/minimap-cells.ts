import type { SpanTimes } from './span-times.js';
import type { SpanTree } from './span-tree.js';
import { isLlmCall, statusWordOf } from '../../features/spans/trace-span.js';

/** What a cell of the minimap shows: the most telling of the spans that are in it. */
export const CELL = { empty: 0, span: 1, call: 2, failed: 3 } as const;

/**
 * The whole trace in a grid of cells, row by row: time from left to right, spans by their place from top to bottom.
 * Takes time proportional to the number of spans and of cells, however long the spans are.
 */
export function minimapCells(tree: SpanTree, times: SpanTimes, columns: number, rows: number): Uint8Array {
  const cells = new Uint8Array(columns * rows);
  for (const kind of [CELL.span, CELL.call, CELL.failed]) {
    const changes = changesOf(tree, times, columns, rows, kind);
    for (let row = 0; row < rows; row++) {
      let spans = 0;
      for (let column = 0; column < columns; column++) {
        spans += changes[row * (columns + 1) + column]!;
        if (spans > 0) cells[row * columns + column] = kind;
      }
    }
  }
  return cells;
}

/** How many spans of a kind begin at, less those that end before, a cell. */
function changesOf(tree: SpanTree, { start, end, total }: SpanTimes, columns: number, rows: number, kind: number) {
  const changes = new Int32Array((columns + 1) * rows);
  const scale = total > 0 ? columns / total : 0;
  const rowScale = rows / Math.max(tree.spans.length, 1);
  for (const [place, span] of tree.spans.entries()) {
    const found = statusWordOf(span) === 'failed' ? CELL.failed : isLlmCall(span) ? CELL.call : CELL.span;
    if (found !== kind) continue;
    const offset = Math.floor(place * rowScale) * (columns + 1);
    const first = Math.min(columns - 1, Math.floor(start[place]! * scale));
    const last = Math.max(first, Math.min(columns, Math.ceil(end[place]! * scale)) - 1);
    changes[offset + first]!++;
    changes[offset + last + 1]!--;
  }
  return changes;
}
