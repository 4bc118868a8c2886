import { fromJsonText, objectFromJsonText } from '@spandrel/storage';
import type { StoredSpan } from '@spandrel/tracing';

type Members = Record<string, unknown>;

/** What log events may bring to a span: its input, and single members of its output. */
type LogMember = 'input' | `output.${string}`;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** A span's input, output and metadata, and which of them came from log events. */
export interface LogView {
  input: unknown;
  output: unknown;
  metadata: Members;
}

/** What log events contain for a span. */
export interface LogContents {
  input: unknown;
  output: unknown;
  count: number;
  /** Events that become events of the span, as `metadata.otel.events` has them, with `from_logs`. */
  events: readonly Members[];
}

/** So many records of one span are merged with it. */
const EVENTS_MAX = 4_000;

const otelOf = ({ otel }: Members): Members => (isObject(otel) ? otel : {});
const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isFromLogs = (event: unknown): event is Members => isObject(event) && event['from_logs'] === true;

/** The members that came from log events, as the metadata say. */
const logMembersOf = (metadata: Members): ReadonlySet<string> =>
  new Set(listIn(otelOf(metadata)['from_logs']).filter((name) => typeof name === 'string'));

function storedLogContents({ input, output, metadata }: LogView): LogContents {
  const fromLogs = logMembersOf(metadata);
  const { log_events: count, events, logged } = otelOf(metadata);
  const beside: Members = isObject(logged) ? logged : {};
  const members = [
    ...(isObject(output) ? Object.entries(output).filter(([name]) => fromLogs.has(`output.${name}`)) : []),
    ...(isObject(beside['output']) ? Object.entries(beside['output']) : []),
  ];
  return {
    input: fromLogs.has('input') ? input : beside['input'],
    output: members.length > 0 ? Object.fromEntries(members) : undefined,
    count: typeof count === 'number' ? count : 0,
    events: listIn(events).filter(isFromLogs),
  };
}

/**
 * What two sets of log events contain together. Events are gone some time after they came: fewer than before are read as an
 * addition, which fills in what is missing. If there are as many or more they count as all, but a member that they do not have at
 * all came from others.
 */
function together(before: LogContents, now: LogContents): LogContents {
  const events = inOrder([...before.events, ...now.events]);
  if (now.count >= before.count) {
    return { ...now, input: now.input ?? before.input, output: now.output ?? before.output, events };
  }
  const output = isObject(now.output) || isObject(before.output) ? filledIn(before.output, now.output) : undefined;
  return { input: isAbsent(before.input) ? now.input : before.input, output, count: before.count, events };
}

const filledIn = (first: unknown, second: unknown): Members => ({
  ...(isObject(second) && second),
  ...(isObject(first) && Object.fromEntries(Object.entries(first).filter(([, value]) => !isAbsent(value)))),
});

/** Each event once, by time; equal ones are distinguished by their text. */
function inOrder(events: readonly Members[]): Members[] {
  const byText = new Map(events.map((event) => [JSON.stringify(event), event]));
  const timed = [...byText].map(([text, event]) => ({ time: timeOf(event), text, event }));
  const isBefore = (a: { time: string; text: string }, b: { time: string; text: string }): boolean =>
    a.time === b.time ? a.text < b.text : a.time < b.time;
  const sorted = timed.toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  return sorted.slice(0, EVENTS_MAX).map(({ event }) => event);
}

const timeOf = ({ time_unix_nano: time }: Members): string => (typeof time === 'string' ? time : '').padStart(20, '0');

export function withoutLogs({ input, output, metadata }: LogView): LogView {
  const fromLogs = logMembersOf(metadata);
  const { from_logs: _members, log_events: _count, events, logged, ...rest } = otelOf(metadata);
  const ownEvents = listIn(events).filter((event) => !isFromLogs(event));
  const hasNone = fromLogs.size === 0 && logged === undefined;
  if (hasNone && ownEvents.length === listIn(events).length) return { input, output, metadata };
  const gaveOutput = [...fromLogs].some((name) => name !== 'input');
  const own =
    gaveOutput && isObject(output)
      ? Object.fromEntries(Object.entries(output).filter(([name]) => !fromLogs.has(`output.${name}`)))
      : output;
  return {
    input: fromLogs.has('input') ? undefined : input,
    output: own !== output && isObject(own) && Object.keys(own).length === 0 ? undefined : own,
    metadata: { ...metadata, otel: { ...rest, ...(ownEvents.length > 0 && { events: ownEvents }) } },
  };
}

/**
 * The span with what log events contain, where its own attributes and events leave it out; what they gave is never replaced.
 * What log events say otherwise stands beside it, in `otel.logged`.
 * @param own without anything from logs.
 * @param logged what all log events that are known of it give.
 */
export function withLogs(own: LogView, logged: LogContents): LogView {
  const fromLogs: LogMember[] = [];
  const beside: Members = {};
  let { input, output } = own;
  if (!isAbsent(logged.input)) {
    if (isAbsent(input)) {
      input = logged.input;
      fromLogs.push('input');
    } else if (isOther(input, logged.input)) beside['input'] = logged.input;
  }
  if (isObject(logged.output)) {
    const merged: Members = isObject(output) ? { ...output } : {};
    const others: Members = {};
    for (const [name, value] of Object.entries(logged.output).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      if (isAbsent(value)) continue;
      if (!isObject(output) && !isAbsent(output)) others[name] = value;
      else if (isAbsent(merged[name])) {
        merged[name] = value;
        fromLogs.push(`output.${name}`);
      } else if (isOther(merged[name], value)) others[name] = value;
    }
    if (Object.keys(merged).length > 0) output = inOneOrder(merged);
    if (Object.keys(others).length > 0) beside['output'] = others;
  }
  const otel = withLogEvents(otelOf(own.metadata), fromLogs, logged, beside);
  return otel === undefined ? own : { input, output, metadata: { ...own.metadata, otel } };
}

const isOther = (own: unknown, logged: unknown): boolean => JSON.stringify(own) !== JSON.stringify(logged);

/** @returns `undefined` when the log events bring nothing. */
function withLogEvents(
  otel: Members,
  fromLogs: readonly LogMember[],
  { count, events }: LogContents,
  beside: Members,
): Members | undefined {
  const { events: own, ...rest } = otel;
  const known = new Set(listIn(own).map((event) => JSON.stringify(event)));
  const added = events.filter((event) => !known.has(JSON.stringify({ ...event, from_logs: undefined })));
  const isBeside = Object.keys(beside).length > 0;
  if (fromLogs.length === 0 && added.length === 0 && !isBeside) return undefined;
  const all = [...listIn(own), ...added];
  return {
    ...rest,
    ...(all.length > 0 && { events: all }),
    ...(fromLogs.length > 0 && { from_logs: fromLogs }),
    ...((fromLogs.length > 0 || isBeside) && { log_events: count }),
    ...(isBeside && { logged: beside }),
  };
}

/** Members of an output in the order in which they are documented, others behind them. */
const OUTPUT_ORDER = ['text', 'finish_reason', 'tool_calls', 'reasoning', 'choices'];

/** One order, whichever came first, so that equal outputs are equal text. */
function inOneOrder(output: Members): Members {
  const others = Object.keys(output).filter((name) => !OUTPUT_ORDER.includes(name));
  const names = [...OUTPUT_ORDER.filter((name) => Object.hasOwn(output, name)), ...others];
  return Object.fromEntries(names.map((name) => [name, output[name]]));
}

export type StoredTexts = Pick<StoredSpan, 'input' | 'output' | 'metadata'>;

const viewOf = (stored: StoredTexts): LogView => ({
  input: fromJsonText(stored.input) ?? undefined,
  output: fromJsonText(stored.output) ?? undefined,
  metadata: objectFromJsonText(stored.metadata),
});

const hasLogs = (logged: LogContents): boolean =>
  logged.events.length > 0 || !isAbsent(logged.input) || !isAbsent(logged.output);

/** Whether {@link keepLogMembers} may keep anything: nearly no span has any, and a large one takes long to read. */
export const mayHaveLogs = ({ metadata }: StoredTexts): boolean =>
  metadata?.includes('"from_logs"') === true || metadata?.includes('"logged"') === true;

/** A span that comes again keeps what log events brought to the stored one, also when those are gone. Pure. */
export function keepLogMembers<Sent extends LogView>(sent: Sent, stored: StoredTexts): Sent {
  const before = storedLogContents(viewOf(stored));
  return hasLogs(before)
    ? { ...sent, ...withLogs(withoutLogs(sent), together(before, storedLogContents(sent))) }
    : sent;
}

/** The members that a stored span has once log events are merged into it; `undefined` when that changes nothing. Pure. */
export function logsMerged(stored: StoredTexts, logged: LogContents): LogView | undefined {
  const before = viewOf(stored);
  const after = withLogs(withoutLogs(before), together(storedLogContents(before), logged));
  return JSON.stringify(after) === JSON.stringify(before) ? undefined : after;
}
