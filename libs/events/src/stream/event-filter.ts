import {
  EVENT_TYPES,
  type EventType,
  type View,
  DATAPOINT_DATA,
  findMember,
  jsonMembers,
  QUEUE_ITEM_DATA,
  type JsonMember,
} from '@spandrel/contract';
import { type EventBatch, typeOf } from '../log/event-batch.js';

/** First on every stream: how long a client waits before it comes back, in milliseconds. */
export const RETRY = Buffer.from('retry: 2000\n\n');
export const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');

export interface Frames {
  bytes: Buffer;
  count: number;
}

export interface WantedEvents {
  /** All when left out. */
  types?: readonly EventType[] | undefined;
  /** `full` when left out. */
  view?: View;
  /** Events of this trace, and those that may be of any. */
  traceId?: string | undefined;
}

/** Events that do not name the trace they may be of. */
const OF_ANY_TRACE: ReadonlySet<string> = new Set<EventType>(['span_deleted', 'cleared']);

/** The outlines of the lines of batches that are in memory: made once, whatever else their clients want. */
const outlines = new WeakMap<readonly string[], readonly string[]>();

/**
 * Which events a client wants, and in which view (docs/spec/events.md#filtering-by-type). Clients that want the same share
 * one filter's bytes by its {@link key}.
 */
export class EventFilter {
  /** A text that is equal for filters that let the same events through in the same view. */
  readonly key: string;
  private readonly types: ReadonlySet<string> | undefined;
  private readonly view: View;
  private readonly traceId: string | undefined;

  constructor({ types, view = 'full', traceId }: WantedEvents = {}) {
    const wanted = new Set<string>(types ?? EVENT_TYPES);
    this.types = wanted.size === EVENT_TYPES.length ? undefined : wanted;
    this.view = view;
    this.traceId = traceId;
    this.key = JSON.stringify([view, this.types && [...wanted].toSorted(), traceId]);
  }

  /** The wanted ones of some events as bytes of the stream. @param afterSeq those up to here are left out. */
  frames(batches: readonly EventBatch[], afterSeq: number): Frames {
    let text = '';
    let count = 0;
    for (const { firstSeq, lines } of batches) {
      const shown = this.view === 'outline' ? outlinesOf(lines) : lines;
      for (let index = Math.max(0, afterSeq + 1 - firstSeq); index < lines.length; index++) {
        const line = shown[index]!;
        if (!this.takes(line)) continue;
        text += `id: ${firstSeq + index}\nevent: message\ndata: ${line}\n\n`;
        count++;
      }
    }
    return { bytes: Buffer.from(text), count };
  }

  /** @param line the JSON of an event. */
  private takes(line: string): boolean {
    if (this.types === undefined && this.traceId === undefined) return true;
    const type = typeOf(line);
    if (this.types !== undefined && !this.types.has(type)) return false;
    return this.traceId === undefined || OF_ANY_TRACE.has(type) || traceIdOf(line) === this.traceId;
  }
}

function outlinesOf(lines: readonly string[]): readonly string[] {
  let made = outlines.get(lines);
  if (!made) outlines.set(lines, (made = lines.map(eventOutline)));
  return made;
}

/** Members that the service adds to the metadata of a finished span; all others are the caller's. */
const SERVICE_METADATA: ReadonlySet<string> = new Set(['duration_ms', 'total_tokens', 'cost', 'cost_source']);
const SPAN_TEXTS: ReadonlySet<string> = new Set(['input', 'output', 'metadata', 'kind']);
const ATTRIBUTES: ReadonlySet<string> = new Set(['attributes']);
const OF_DATAPOINT: ReadonlySet<string> = new Set(DATAPOINT_DATA);
const OF_QUEUE_ITEM: ReadonlySet<string> = new Set(QUEUE_ITEM_DATA);

/**
 * An event of the log as `view=outline` has it (docs/spec/events.md#events-without-texts): its texts are cut out of the
 * line, never parsed, so that a span with megabytes costs little and numbers keep their digits.
 */
export function eventOutline(line: string): string {
  const outline = OUTLINES[typeOf(line) as EventType];
  const member = outline && findMember(line, outline.member);
  if (!outline || !member) return line;
  return line.slice(0, member.valueStart) + outline.of(line, member.valueStart) + line.slice(member.end);
}

interface MemberOutline {
  /** The member of the event that is outlined. */
  member: string;
  /** The outline of the object that begins at `start`. */
  of(line: string, start: number): string;
}

const SPAN: MemberOutline = { member: 'span', of: spanOutlineOf };

const OUTLINES: Partial<Record<EventType, MemberOutline>> = {
  span_created: SPAN,
  span_completed: SPAN,
  span_failed: SPAN,
  datapoint_created: { member: 'datapoint', of: (line, start) => `{${without(line, start, OF_DATAPOINT)}}` },
  queue_item_updated: { member: 'item', of: (line, start) => `{${without(line, start, OF_QUEUE_ITEM)}}` },
};

function spanOutlineOf(line: string, start: number): string {
  const members = [...jsonMembers(line, start)];
  const byName = new Map(members.map((member) => [member.name, member]));
  const valueOf = (name: string): string => {
    const member = byName.get(name);
    return member ? line.slice(member.valueStart, member.end) : 'null';
  };
  const [kind, metadata] = [byName.get('kind'), byName.get('metadata')];
  const isRunning = valueOf('status') === '"running"';
  const shown = metadata && !isRunning ? [...jsonMembers(line, metadata.valueStart)] : [];
  const ofService = shown.filter(({ name }) => SERVICE_METADATA.has(name));
  return `{${[
    written(
      line,
      members.filter(({ name }) => !SPAN_TEXTS.has(name)),
    ),
    `"kind":{${kind ? without(line, kind.valueStart, ATTRIBUTES) : ''}}`,
    `"metadata":{${written(line, ofService)}}`,
    `"input_bytes":${bytesOf(valueOf('input'))},"output_bytes":${bytesOf(valueOf('output'))}`,
    '"input_preview":null,"output_preview":null',
  ].join(',')}}`;
}

const without = (line: string, start: number, names: ReadonlySet<string>): string =>
  written(
    line,
    [...jsonMembers(line, start)].filter(({ name }) => !names.has(name)),
  );

const written = (line: string, members: readonly JsonMember[]): string =>
  members.map(({ start, end }) => line.slice(start, end)).join(',');

const bytesOf = (json: string): number => (json === 'null' ? 0 : Buffer.byteLength(json));

/** The trace that an event is about; `undefined` where it does not say. */
export function traceIdOf(line: string): string | undefined {
  const path = TRACE_IDS[typeOf(line) as EventType];
  let at: JsonMember | undefined;
  for (const name of path ?? []) {
    at = firstMember(line, name, at?.valueStart);
    if (!at) return undefined;
  }
  return at && (JSON.parse(line.slice(at.valueStart, at.end)) as string);
}

/** The first member of that name: ids stand before what is long, and nothing has two. */
function firstMember(line: string, name: string, start: number | undefined): JsonMember | undefined {
  for (const member of jsonMembers(line, start)) if (member.name === name) return member;
  return undefined;
}

const TRACE_IDS: Partial<Record<EventType, readonly string[]>> = {
  span_created: ['span', 'trace_id'],
  span_completed: ['span', 'trace_id'],
  span_failed: ['span', 'trace_id'],
  trace_created: ['trace', 'id'],
  trace_deleted: ['trace_id'],
};
