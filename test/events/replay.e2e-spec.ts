/** What the log replays is what was sent live, byte for byte, whatever has become of the spans. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RetentionTerm, Scope } from '@spandrel/kernel';
import { ExpireSpans } from '@spandrel/tracing';
import { EventBus } from '../../libs/events/src/feed/project-feeds.js';
import { EventLogStore } from '../../libs/events/src/log/event-log.store.js';
import { describeOnBothDatabases, showsAll } from '../support/databases.ts';
import { scopeOfProject } from '../support/in-process.ts';
import { repetitions } from '../support/repetitions.ts';
import { TracingApp } from '../storage/tracing-app.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SLICE_BYTES = 64 * 1024;
const never = new AbortController().signal;

/** Short texts, and texts that are packed. */
const text = fc.constantFrom(
  null,
  'short',
  ...['a', 'b', 'ü"\\\n\u0001\u2028\ud800', '{"type":"span_created","span":{"id":"', '😀 $& $1'].map((part) =>
    part.repeat(70),
  ),
);
const long = fc.constantFrom('c', 'd', 'ä').map((part) => part.repeat(90));
const kind = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom({ type: 'custom' }, { type: 'llm_call', model: 'gpt-4o', input_tokens: 5, output_tokens: 7 }),
  long.map((attribute) => ({ type: 'tool', attributes: { attribute } })),
  long.map((attribute) => ({ type: 'llm_call', model: 'gpt-4o', input_tokens: 5, attributes: { attribute } })),
);
const metadata = fc.oneof(
  fc.constantFrom(undefined, { a: 1 }),
  long.map((value) => ({ value })),
  long.map((value) => ({ value, deep: { duration_ms: 1 } })),
);
/** How long ago a span started, in hours. */
const age = fc.constantFrom(undefined, 0, 1, 5, 11, 30, 200, -30);
const span = fc.constantFrom('s0', 's1', 's2');
const trace = fc.constantFrom('t0', 't1');

const item = fc.record({
  id: span,
  trace_id: trace,
  kind,
  input: text,
  output: text,
  metadata,
  age,
  status: fc.constantFrom(undefined, 'running', 'completed', 'failed'),
});
type Item = typeof item extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      id: span,
      trace_id: trace,
      kind,
      input: text,
      metadata,
      age,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('complete' as const), id: span, output: text, metadata }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), id: span, error: long, output: text }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('ingest' as const), items: fc.array(item, { minLength: 1, maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), id: span }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete_trace' as const), id: trace }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('clear' as const, 'expire' as const, 'expire_days' as const, 'prune' as const),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

describeOnBothDatabases('the replay of events', ({ name: database, newDatabase }) => {
  let app: TracingApp;
  /** What was sent live of each project, by number. */
  const live = new Map<string, Map<number, string>>();
  let serial = 0;
  beforeAll(async () => {
    app = await TracingApp.open(await newDatabase('replay'));
    app.provided(EventBus).subscribe(({ projectId, firstSeq, lines }) => {
      for (const [index, line] of lines.entries()) live.get(projectId)?.set(firstSeq + index, line);
    });
  });
  afterAll(() => app?.close());

  function freshProject(): Scope {
    const scope = scopeOfProject(`replay-${serial++}`);
    live.set(scope.projectId, new Map());
    return scope;
  }

  async function call(scope: Scope, method: 'POST' | 'DELETE', url: string, body?: object): Promise<number> {
    return (await app.call(method, url, body, scope.projectId)).status;
  }

  /** All of the log, by number, as clients are sent it that come back. */
  async function replayed(scope: Scope): Promise<Map<number, string>> {
    const log = app.provided(EventLogStore);
    const found = new Map<number, string>();
    for (let after = 0; ;) {
      const batches = await log.slice(scope, after, SLICE_BYTES);
      if (batches.length === 0) return found;
      for (const { firstSeq, lines } of batches) lines.forEach((line, index) => found.set(firstSeq + index, line));
      after = batches.at(-1)!.lastSeq;
    }
  }

  async function expectReplayed(scope: Scope): Promise<void> {
    const reported = live.get(scope.projectId)!;
    const found = await replayed(scope);
    const oldest = Math.min(...found.keys());
    expect(found).toEqual(new Map([...reported].filter(([seq]) => seq >= oldest)));
    expect(found.size === 0 || found.has(reported.size)).toBe(true);
  }

  /** Deletes the events older than a moment. */
  async function prune({ projectId }: Scope, before: number): Promise<void> {
    const log = app.provided(EventLogStore);
    while (await app.storage.write((tx) => log.prune(tx, projectId, before)));
  }

  const startOf = (hours: number | undefined): object =>
    hours === undefined ? {} : { started_at: new Date(Date.now() - hours * HOUR_MS).toISOString() };

  function ingested({ age: hours, status, ...members }: Item): object {
    return {
      ...members,
      name: `name of ${members.id}`,
      ...startOf(hours),
      ...(status === 'failed' ? { status: { failed: { error: 'e'.repeat(100) } } } : status && { status }),
    };
  }

  /** Retention, of all projects so that whole days can go. @param days from now on, which are all too old. */
  async function expire(now: number): Promise<void> {
    const terms: RetentionTerm[] = [...live.keys()].map((projectId) => ({
      orgId: 'org',
      projectId,
      plan: 'p',
      days: 1,
    }));
    await app.provided(ExpireSpans).execute(terms, now, never);
  }

  async function take(scope: Scope, given: Step): Promise<unknown> {
    switch (given.do) {
      case 'create': {
        const { do: _do, age: hours, ...body } = given;
        return call(scope, 'POST', '/api/spans', { ...body, name: 'name', ...startOf(hours) });
      }
      case 'complete':
        return call(scope, 'POST', `/api/spans/${given.id}/complete`, {
          output: given.output,
          metadata: given.metadata,
        });
      case 'fail':
        return call(scope, 'POST', `/api/spans/${given.id}/fail`, { error: given.error, output: given.output });
      case 'ingest':
        return call(scope, 'POST', '/api/ingest', { spans: given.items.map(ingested) });
      case 'delete':
        return call(scope, 'DELETE', `/api/spans/${given.id}`);
      case 'delete_trace':
        return call(scope, 'DELETE', `/api/traces/${given.id}`);
      case 'clear':
        return call(scope, 'DELETE', '/api/traces');
      case 'expire':
        return expire(Date.now() + DAY_MS - 3 * HOUR_MS);
      case 'expire_days':
        return expire(Date.now() + 4 * DAY_MS);
      case 'prune':
        return prune(scope, Date.now());
    }
  }

  it('is what was sent live, in any history', async () => {
    await fc.assert(
      fc.asyncProperty(
        // What is asked for together may be done in one transaction.
        fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 }),
        async (history) => {
          const scope = freshProject();
          const traces = ['t0', 't1'].map((id) => ({ id, name: id }));
          for (const each of traces) await call(scope, 'POST', '/api/traces', each);
          for (const together of history) {
            await Promise.all(together.map((each) => take(scope, each)));
            if (together.some((each) => 'id' in each && each.do === 'delete_trace')) {
              for (const each of traces) await call(scope, 'POST', '/api/traces', each);
            }
          }
          await expectReplayed(scope);
        },
      ),
      { numRuns: showsAll(database) ? repetitions(150) : 15 },
    );
  });

  it('has the events of a whole project that is cleared, and of whole days', async () => {
    for (const last of ['clear', 'expire_days'] as const) {
      const scope = freshProject();
      for (let n = 0; n < 3; n++) {
        const spans = Array.from({ length: 500 }, (_, index) => ({
          id: `s${n}-${index}`,
          trace_id: 't',
          name: 's',
          input: 'i'.repeat(1_000),
          output: `${n}-${index} ${'o'.repeat(1_000)}`,
          status: 'completed',
        }));
        await call(scope, 'POST', '/api/ingest', { traces: [{ id: 't', name: 't' }], spans });
      }
      await take(scope, { do: last });
      await expectReplayed(scope);
    }
  });

  it('has an event of megabytes, which is packed beside the event loop', async () => {
    const scope = freshProject();
    await call(scope, 'POST', '/api/traces', { id: 't' });
    await call(scope, 'POST', '/api/spans', { id: 's', trace_id: 't', name: 's', input: 'ü😀'.repeat(500_000) });
    await expectReplayed(scope);
  });
});
