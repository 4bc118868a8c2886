import type { Batch } from './batch.js';
import type { Losses } from './losses.js';
import type { Answer, Rejection } from './post-batch.js';
import type { OutgoingSpan, Queue, QueuedTrace } from './queue.js';

/**
 * Takes out of the queue what the server has answered for. A span that was refused only since its trace's members were
 * refused stays: it is sent again with the trace's id alone.
 * @returns how many items the server has taken.
 */
export function settleBatch(
  batch: Batch,
  rejected: readonly Rejection[],
  queue: Queue,
  unreported: Map<OutgoingSpan, number>,
  losses: Losses,
): number {
  const spanRejections = new Map<number, Rejection>();
  const scoreRejections = new Map<number, Rejection>();
  const refusedNow = new Set<QueuedTrace>();
  for (const rejection of rejected) {
    if (rejection.collection === 'spans') spanRejections.set(rejection.index, rejection);
    else if (rejection.collection === 'scores') scoreRejections.set(rejection.index, rejection);
    else {
      const { trace } = batch.traces[rejection.index]!;
      if (!queue.refuse(trace)) continue;
      refusedNow.add(trace);
      losses.reject(reasonOf(rejection));
    }
  }
  const waitsForTrace = ({ code }: Rejection, trace: QueuedTrace): boolean =>
    code === 'trace_not_found' && refusedNow.has(trace);

  const versions = new Map(batch.traces.map((sent) => [sent.trace, sent.version]));
  let delivered = 0;
  let index = 0;
  let scoreIndex = 0;
  const keep: number[] = [];
  for (const [at, { trace, text, isScore }] of batch.items.entries()) {
    if (text === null) {
      // A refused one has been counted as such.
      if (trace.isRefused) continue;
      if (versions.get(trace) === trace.version) delivered++;
      else keep.push(at);
      continue;
    }
    const rejection = isScore ? scoreRejections.get(scoreIndex++) : spanRejections.get(index++);
    if (rejection === undefined) delivered++;
    else if (waitsForTrace(rejection, trace)) keep.push(at);
    else losses.reject(reasonOf(rejection));
  }
  queue.remove(batch.items.length, keep);
  for (const span of batch.running) {
    const rejection = spanRejections.get(index++);
    // A running form that is refused counts for nothing: the span is sent again when it has ended.
    if (rejection === undefined || !waitsForTrace(rejection, queue.traceOf(span.trace))) unreported.delete(span);
  }
  return delivered;
}

/** Gives up the one item of a batch that is refused as a whole; of a trace that makes it too large its members first. */
export function dropSingle(
  { items: [item], running: [span] }: Batch,
  { error, isTooLarge }: Extract<Answer, { kind: 'refused' }>,
  queue: Queue,
  unreported: Map<OutgoingSpan, number>,
  losses: Losses,
): void {
  if (item === undefined) {
    // It counts for nothing: the span is sent again when it has ended.
    unreported.delete(span!);
    return;
  }
  const { trace, text } = item;
  const isTraceLarger = isTooLarge && text !== null && trace.bytes > text.end - text.start;
  const isTraceAtFault = (text === null || isTraceLarger) && queue.refuse(trace);
  losses.reject(error);
  if (text !== null && isTraceAtFault) return;
  queue.remove(1, []);
}

const reasonOf = ({ collection, code, message }: Rejection): string =>
  `${collection} ${String(code)}: ${String(message)}`;
