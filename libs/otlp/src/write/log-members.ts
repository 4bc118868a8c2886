import type { IngestSpan } from '@spandrel/contract';
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

/** The members that came from log events, as the metadata say. */
function logMembersOf(metadata: Members): ReadonlySet<string> {
  const { otel } = metadata;
  const names = isObject(otel) && Array.isArray(otel['from_logs']) ? otel['from_logs'] : [];
  return new Set(names.filter((name) => typeof name === 'string'));
}

/** The span without what came from log events. */
export function withoutLogs({ input, output, metadata }: LogView): LogView {
  const fromLogs = logMembersOf(metadata);
  if (fromLogs.size === 0) return { input, output, metadata };
  const gaveOutput = [...fromLogs].some((name) => name !== 'input');
  const own =
    gaveOutput && isObject(output)
      ? Object.fromEntries(Object.entries(output).filter(([name]) => !fromLogs.has(`output.${name}`)))
      : output;
  const { from_logs: _fromLogs, ...otel } = metadata['otel'] as Members;
  return {
    input: fromLogs.has('input') ? undefined : input,
    output: own !== output && isObject(own) && Object.keys(own).length === 0 ? undefined : own,
    metadata: { ...metadata, otel },
  };
}

/**
 * The span with what log events tell, where its own attributes and events leave it out; what they gave is never replaced.
 * @param own without anything from logs.
 * @param told what all log events that are known of it give.
 */
export function withLogs(own: LogView, told: Pick<LogView, 'input' | 'output'>): LogView {
  const fromLogs: LogMember[] = [];
  const input = isAbsent(own.input) && !isAbsent(told.input) ? told.input : own.input;
  if (input !== own.input) fromLogs.push('input');
  let { output } = own;
  if (isObject(told.output) && (isAbsent(output) || isObject(output))) {
    const merged: Members = { ...(output as Members | null | undefined) };
    for (const [name, value] of Object.entries(told.output).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      if (isAbsent(value) || !isAbsent(merged[name])) continue;
      merged[name] = value;
      fromLogs.push(`output.${name}`);
    }
    if (Object.keys(merged).length > 0) output = inOneOrder(merged);
  }
  if (fromLogs.length === 0) return own;
  const otel = isObject(own.metadata['otel']) ? own.metadata['otel'] : {};
  return { input, output, metadata: { ...own.metadata, otel: { ...otel, from_logs: fromLogs } } };
}

/** Members of an output in the order in which they are documented, others behind them. */
const OUTPUT_ORDER = ['text', 'finish_reason', 'tool_calls', 'reasoning', 'choices'];

/** One order whoever told first, so that equal outputs are equal text. */
function inOneOrder(output: Members): Members {
  const others = Object.keys(output).filter((name) => !OUTPUT_ORDER.includes(name));
  const names = [...OUTPUT_ORDER.filter((name) => Object.hasOwn(output, name)), ...others];
  return Object.fromEntries(names.map((name) => [name, output[name]]));
}

/** What is stored of a span, as values. */
const viewOf = (stored: StoredSpan): LogView => ({
  input: fromJsonText(stored.input) ?? undefined,
  output: fromJsonText(stored.output) ?? undefined,
  metadata: objectFromJsonText(stored.metadata),
});

/** A span that comes again keeps what log events brought to the stored one, also when those are gone. Pure. */
export function keepLogMembers(item: IngestSpan, stored: StoredSpan): IngestSpan {
  const before = viewOf(stored);
  const fromLogs = logMembersOf(before.metadata);
  if (fromLogs.size === 0) return item;
  const output = isObject(before.output)
    ? Object.fromEntries(Object.entries(before.output).filter(([name]) => fromLogs.has(`output.${name}`)))
    : undefined;
  const own = withoutLogs({ input: item.input, output: item.output, metadata: item.metadata ?? {} });
  return { ...item, ...withLogs(own, { input: fromLogs.has('input') ? before.input : undefined, output }) };
}

/** The members that a stored span has once log events are merged into it; `undefined` when that changes nothing. Pure. */
export function logsMerged(stored: StoredSpan, told: Pick<LogView, 'input' | 'output'>): LogView | undefined {
  const before = viewOf(stored);
  const after = withLogs(withoutLogs(before), told);
  return JSON.stringify(after) === JSON.stringify(before) ? undefined : after;
}
