import { AsyncLocalStorage } from 'node:async_hooks';
import type { OutgoingSpan } from '../delivery/outgoing.js';
import type { Trace } from './trace.js';

/** What is open where code runs. */
export interface Context {
  readonly trace: Trace;
  /** The id of the span that new spans are children of; null in a trace without one. */
  readonly spanId: string | null;
  /** Undefined where the span belongs to the caller of this process. */
  readonly span: OutgoingSpan | undefined;
}

const KEY = Symbol.for('@spandrel/sdk context 1');
const shared = globalThis as { [KEY]?: AsyncLocalStorage<Context> };

/** One for all instances of the SDK in a process, and for each copy of the package that is loaded. */
export const context: AsyncLocalStorage<Context> = (shared[KEY] ??= new AsyncLocalStorage());
