// A file of its own: programs in browsers and workers read these types without those of node:async_hooks.
import type { OutgoingSpan } from '../delivery/queue.js';
import type { Trace } from './trace.js';

export interface Context {
  readonly trace: Trace;
  /** The id of the span that new spans are children of; null in a trace without one. */
  readonly spanId: string | null;
  /** Undefined where the span belongs to the caller of this process. */
  readonly span: OutgoingSpan | undefined;
}
