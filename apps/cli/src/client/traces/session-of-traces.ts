import type { Api } from '@spandrel/sdk';

/** Traces whose session is remembered. */
const REMEMBERED_MAX = 10_000;
/** A trace may get its session later than its first span. */
const FRESH_MS = 30_000;

/** Which session traces are of: a span does not say. */
export class SessionOfTraces {
  private readonly known = new Map<string, { session: string | null; at: number }>();

  constructor(private readonly api: Api) {}

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
    const { traces } = await this.api.listTraces({ query: { ids: [traceId] } });
    const session = traces[0]?.session_id ?? null;
    this.note(traceId, session);
    return session;
  }
}
