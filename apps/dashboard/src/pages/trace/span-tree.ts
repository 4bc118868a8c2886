import type { SpanOutline } from '@spandrel/contract';
import type { TraceSpan } from '../../features/trace-span.js';

/**
 * The spans of a trace as a tree in flat arrays. Everything is indexed by a span's place: its position when parents
 * come before their children and children in the order of their start. So a subtree is a run of places, the first child
 * of `place` is `place + 1`, and the next sibling is `end[place]`.
 */
export interface SpanTree {
  readonly spans: readonly TraceSpan[];
  /** Place of the parent, -1 at the top. */
  readonly parent: Int32Array;
  /** 0 at the top. */
  readonly depth: Int32Array;
  /** The place behind the last descendant. */
  readonly end: Int32Array;
  /** Places in the order of start. */
  readonly byStart: Int32Array;
  /** The place of a span by its id, -1 where there is none. */
  placeOf(id: string): number;
}

const NONE = -1;

/**
 * Puts spans into a tree, without recursion, so that a chain of 100,000 is no deeper than the stack
 * (docs/spec/dashboard-trace.md#order-of-spans).
 * @param given spans of one trace in any order, every id once.
 */
export function buildSpanTree(given: readonly TraceSpan[]): SpanTree {
  // Timestamps of the wire have one form, so that their texts compare as their times do.
  const sorted = given.toSorted((a, b) => (a.started_at < b.started_at ? -1 : Number(a.started_at > b.started_at)));
  const count = sorted.length;
  const positionOf = new Map(sorted.map(({ id }, position) => [id, position]));
  const above = Int32Array.from(sorted, ({ parent_id: id }) => (id === null ? NONE : (positionOf.get(id) ?? NONE)));
  breakCircles(above);
  const children = sorted.map((): number[] => []);
  const open: number[] = [];
  // From the last to the first: what is put last is taken first.
  for (let position = count - 1; position >= 0; position--) (children[above[position]!] ?? open).push(position);
  const spans: TraceSpan[] = [];
  const parent = new Int32Array(count);
  const depth = new Int32Array(count);
  const end = new Int32Array(count);
  const byStart = new Int32Array(count);
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    const place = spans.push(sorted[position]!) - 1;
    byStart[position] = place;
    const family = byStart[above[position]!] ?? NONE;
    parent[place] = family;
    depth[place] = family === NONE ? 0 : depth[family]! + 1;
    for (const child of children[position]!) open.push(child);
  }
  for (let place = count - 1; place >= 0; place--) {
    end[place] = Math.max(end[place]!, place + 1);
    const family = parent[place]!;
    if (family !== NONE) end[family] = Math.max(end[family]!, end[place]!);
  }
  return { spans, parent, depth, end, byStart, placeOf: (id) => byStart[positionOf.get(id) ?? NONE] ?? NONE };
}

/** Walks up from every span once. A walk that meets itself has found a circle, which is opened at its first to start. */
function breakCircles(parent: Int32Array): void {
  const walkOf = new Int32Array(parent.length).fill(NONE);
  for (let start = 0; start < parent.length; start++) {
    let position = start;
    while (position !== NONE && walkOf[position] === NONE) {
      walkOf[position] = start;
      position = parent[position]!;
    }
    if (position !== NONE && walkOf[position] === start) parent[earliestOfCircle(parent, position)] = NONE;
  }
}

function earliestOfCircle(parent: Int32Array, member: number): number {
  let earliest = member;
  for (let position = parent[member]!; position !== member; position = parent[position]!) {
    earliest = Math.min(earliest, position);
  }
  return earliest;
}

/** Places of the children of a place, or with -1 of the spans at the top, in the order of their start. */
export function* childrenOf(tree: Pick<SpanTree, 'end'>, place: number): Generator<number> {
  const last = place === NONE ? tree.end.length : tree.end[place]!;
  for (let child = place + 1; child < last; child = tree.end[child]!) yield child;
}

/** What an event reports of a span: all of its outline, or what an event without the sizes of its texts has. */
type SpanOfEvent = Omit<SpanOutline, SizeMember> & Partial<Pick<SpanOutline, SizeMember>>;
type SizeMember = 'input_bytes' | 'output_bytes' | 'input_preview' | 'output_preview';

export type SpanChange = { span: SpanOfEvent } | { deleted: string };

/** What is not known of a span before it is asked for. */
const NO_TEXTS = { input_bytes: 0, output_bytes: 0, input_preview: null, output_preview: null };

/** Spans of a trace after some changes; the same array where nothing changed, so that nothing is laid out again. */
export function mergeSpans(spans: readonly SpanOutline[], changes: readonly SpanChange[]): readonly SpanOutline[] {
  if (changes.length === 0) return spans;
  const byId = new Map(spans.map((span) => [span.id, span]));
  let hasChanged = false;
  for (const change of changes) {
    if ('deleted' in change) {
      hasChanged = byId.delete(change.deleted) || hasChanged;
      continue;
    }
    const { input: _input, output: _output, ...outline } = change.span as SpanOfEvent & Record<string, unknown>;
    const known = byId.get(outline.id);
    if (known !== undefined && isOlder(outline, known)) continue;
    byId.set(outline.id, { ...NO_TEXTS, ...known, ...outline });
    hasChanged = true;
  }
  return hasChanged ? [...byId.values()] : spans;
}

/** A finished span stays finished: an event that says it runs was on its way while the trace was read. */
const isOlder = (span: SpanOfEvent, known: SpanOutline): boolean =>
  span.status === 'running' && known.status !== 'running';
