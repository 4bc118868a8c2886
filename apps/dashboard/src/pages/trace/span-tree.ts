import type { SpanOutline } from '@spandrel/contract';
import type { TraceSpan } from '../../features/trace-span.js';

/**
 * The spans of a trace as a tree in flat arrays. Everything is indexed by a span's place: its position when parents
 * come before their children and children in the order of their start. So a subtree is a run of places, the first child
 * of `place` is `place + 1`, and the next sibling is `end[place]`.
 */
export interface SpanTree {
  /** Spans by place. */
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
 * Puts spans into a tree, in time proportional to their number and without recursion, so that a chain of 100,000 is no
 * deeper than the stack (docs/spec/dashboard-trace.md#order-of-spans). A span whose parent is not there stands at the top; where parents form a circle, the first of it
 * to start stands at the top.
 * @param given spans of one trace in any order, every id once.
 */
export function buildSpanTree(given: readonly TraceSpan[]): SpanTree {
  const spans = inStartOrder(given);
  const positionOf = new Map<string, number>();
  for (const [position, span] of spans.entries()) positionOf.set(span.id, position);
  const links = linkFamilies(spans, positionOf);
  const order = placeSpans(spans.length, links);
  const tree = arrange(spans, links.parent, order);
  return { ...tree, placeOf: (id) => tree.byStart[positionOf.get(id) ?? NONE] ?? NONE };
}

/** Timestamps of the wire have one form, so that their texts compare as their times do. */
function inStartOrder(spans: readonly TraceSpan[]): readonly TraceSpan[] {
  for (let i = 1; i < spans.length; i++) {
    if (spans[i]!.started_at < spans[i - 1]!.started_at) {
      return [...spans].sort((a, b) => (a.started_at < b.started_at ? -1 : a.started_at > b.started_at ? 1 : 0));
    }
  }
  return spans;
}

/** Families by positions in start order; `top` is the list of spans without a parent. */
interface Links {
  parent: Int32Array;
  firstChild: Int32Array;
  nextSibling: Int32Array;
  firstTop: number;
}

function linkFamilies(spans: readonly TraceSpan[], positionOf: ReadonlyMap<string, number>): Links {
  const parent = new Int32Array(spans.length).fill(NONE);
  for (const [position, span] of spans.entries()) {
    const found = span.parent_id === null ? undefined : positionOf.get(span.parent_id);
    if (found !== undefined) parent[position] = found;
  }
  breakCircles(parent);
  const firstChild = new Int32Array(spans.length).fill(NONE);
  const nextSibling = new Int32Array(spans.length).fill(NONE);
  let firstTop = NONE;
  // From the last to the first, so that every list of children begins with the first to start.
  for (let position = spans.length - 1; position >= 0; position--) {
    const above = parent[position]!;
    if (above === NONE) {
      nextSibling[position] = firstTop;
      firstTop = position;
    } else {
      nextSibling[position] = firstChild[above]!;
      firstChild[above] = position;
    }
  }
  return { parent, firstChild, nextSibling, firstTop };
}

/** Walks up from every span once. A walk that meets itself has found a circle. */
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

/** Positions in start order, by place. */
function placeSpans(count: number, { parent, firstChild, nextSibling, firstTop }: Links): Int32Array {
  const order = new Int32Array(count);
  let place = 0;
  let position = firstTop;
  while (position !== NONE) {
    order[place++] = position;
    if (firstChild[position] !== NONE) {
      position = firstChild[position]!;
      continue;
    }
    while (position !== NONE && nextSibling[position] === NONE) position = parent[position]!;
    if (position !== NONE) position = nextSibling[position]!;
  }
  return order;
}

function arrange(spans: readonly TraceSpan[], parentPosition: Int32Array, order: Int32Array) {
  const count = spans.length;
  const byStart = new Int32Array(count);
  for (let place = 0; place < count; place++) byStart[order[place]!] = place;
  const parent = new Int32Array(count);
  const depth = new Int32Array(count);
  const end = new Int32Array(count);
  const placed = Array.from(order, (position) => spans[position]!);
  for (let place = 0; place < count; place++) {
    const above = parentPosition[order[place]!]!;
    parent[place] = above === NONE ? NONE : byStart[above]!;
    depth[place] = above === NONE ? 0 : depth[parent[place]!]! + 1;
  }
  for (let place = count - 1; place >= 0; place--) {
    end[place] = Math.max(end[place]!, place + 1);
    const above = parent[place]!;
    if (above !== NONE) end[above] = Math.max(end[above]!, end[place]!);
  }
  return { spans: placed, parent, depth, end, byStart };
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

/**
 * Spans of a trace after some changes: new ones at the end, changed ones in their place.
 * @returns the same array where nothing changed, so that nothing is laid out again.
 */
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
