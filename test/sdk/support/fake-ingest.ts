/** What becomes of a request. */
export type Behaviour =
  | 'take'
  | 'refuse connection'
  | 'hang'
  | 'take, then cut'
  | 'garbage'
  | 'too few accounted for'
  | { status: number; retryAfter?: string };

interface IngestBody {
  traces: { id: string; [member: string]: unknown }[];
  spans: { id: string; trace_id: string; status?: string; [member: string]: unknown }[];
  scores?: { id: string; trace_id?: string; [member: string]: unknown }[];
}

/** `POST /api/ingest` in memory, with a behaviour for each request to come; afterwards it takes all. */
export class FakeIngest {
  readonly requests: IngestBody[] = [];
  readonly sizes: number[] = [];
  readonly traces = new Map<string, Record<string, unknown>>();
  readonly spans = new Map<string, Record<string, unknown>>();
  readonly scores = new Map<string, Record<string, unknown>>();
  behaviours: Behaviour[] = [];
  otherwise: Behaviour = 'take';
  bodyBytesMax = Infinity;
  /** A body that holds a span with one of these ids is refused whole. */
  readonly poison = new Set<string>();
  /** Ids of spans and traces that are rejected by themselves. */
  readonly invalid = new Set<string>();

  readonly fetch: typeof fetch = async (_url, init) => {
    const bytes = init?.body as Uint8Array;
    const body = JSON.parse(new TextDecoder().decode(bytes)) as IngestBody;
    this.requests.push(body);
    this.sizes.push(bytes.length);
    const behaviour = this.behaviours.shift() ?? this.otherwise;
    switch (behaviour) {
      case 'refuse connection':
        throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
      case 'hang':
        return new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
        });
      case 'garbage':
        return new Response('<html>Welcome to our network</html>');
      case 'take':
        return this.take(body, bytes.length);
      case 'take, then cut':
        this.take(body, bytes.length);
        throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
      case 'too few accounted for':
        return Response.json({ accepted: { traces: 0, spans: 0 }, rejected: [] });
      default:
        return Response.json(
          { code: 'some_code', detail: 'some detail' },
          { status: behaviour.status, headers: behaviour.retryAfter ? { 'retry-after': behaviour.retryAfter } : {} },
        );
    }
  };

  private take({ traces, spans, scores = [] }: IngestBody, bytes: number): Response {
    if (bytes > this.bodyBytesMax) return Response.json({ code: 'payload_too_large' }, { status: 413 });
    if (spans.some(({ id }) => this.poison.has(id))) return Response.json({ code: 'malformed_json' }, { status: 400 });
    const rejected: unknown[] = [];
    traces.forEach((trace, index) => {
      // By its id alone a trace can be taken always.
      if (this.invalid.has(trace.id) && Object.keys(trace).length > 1) {
        rejected.push({ index, collection: 'traces', code: 'validation_failed', message: 'tags are too long' });
      } else this.traces.set(trace.id, { ...this.traces.get(trace.id), ...trace });
    });
    const rejectedTraces = rejected.length;
    spans.forEach((span, index) => {
      if (this.invalid.has(span.id) || !this.traces.has(span.trace_id)) {
        const code = this.invalid.has(span.id) ? 'validation_failed' : 'trace_not_found';
        rejected.push({ index, collection: 'spans', code, message: 'no' });
        return;
      }
      const isLate = span.status === 'running' && this.spans.get(span.id)?.['status'] === 'completed';
      if (!isLate) this.spans.set(span.id, span);
    });
    const spansTaken = spans.length - rejected.length + rejectedTraces;
    let scoresTaken = 0;
    scores.forEach((score, index) => {
      const isKnown = score.trace_id === undefined || this.traces.has(score.trace_id);
      if (isKnown) this.scores.set(score.id, score);
      else rejected.push({ index, collection: 'scores', code: 'trace_not_found', message: 'no' });
      scoresTaken += Number(isKnown);
    });
    const accepted = {
      ...{ traces: traces.length - rejectedTraces, spans: spansTaken },
      ...(scores.length > 0 && { scores: scoresTaken }),
    };
    return Response.json({ accepted, rejected });
  }
}
