import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '@spandrel/sdk';
import { isRefusal } from '../events/follow-events.js';

/** Traces whose session is remembered. */
const REMEMBERED_MAX = 10_000;
/** A trace may get its session later than its first span. */
const FRESH_MS = 30_000;
/** Between two questions to a server that does not answer. */
const PAUSE_MS = 1_000;

/** Which session traces are of: a span does not say. */
export class SessionOfTraces {
  private readonly known = new Map<string, { session: string | null; at: number }>();

  constructor(
    private readonly api: Api,
    private readonly signal: AbortSignal,
  ) {}

  /** Remembers what an event told. */
  note(traceId: string, session: string | null): void {
    this.known.delete(traceId);
    this.known.set(traceId, { session, at: performance.now() });
    if (this.known.size > REMEMBERED_MAX) this.known.delete(this.known.keys().next().value!);
  }

  /** @returns the session of a trace; `null` where it has none, or is gone. */
  async of(traceId: string): Promise<string | null> {
    const known = this.known.get(traceId);
    // A session is not changed, as a rule; having none is what changes.
    if (known && (known.session !== null || performance.now() - known.at < FRESH_MS)) return known.session;
    const session = await this.ask(traceId);
    this.note(traceId, session);
    return session;
  }

  /** A server that restarts is asked until it answers: the span that wants to know is not lost. */
  private async ask(traceId: string): Promise<string | null> {
    for (;;) {
      try {
        const { traces } = await this.api.listTraces({ query: { ids: [traceId] } });
        return traces[0]?.session_id ?? null;
      } catch (error) {
        this.signal.throwIfAborted();
        if (isRefusal(error)) throw error;
        await sleep(PAUSE_MS, undefined, { signal: this.signal });
      }
    }
  }
}
