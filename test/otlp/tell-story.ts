/** Sends servers a story, plainly or anyhow, each time in a project of its own, and reads what they make of it. */
import { random } from '../support/random.ts';
import type { ServerApp } from '../support/server-app.ts';
import type { SpanResource, TraceListItem } from '@spandrel/contract';
import { bodiesOf, partsOf, reportsTokens, tokensOf, traceIdOf, type Part, type Story } from './export-story.ts';

const EXPORTERS = 3;

/** What can be read of a project, under the ids that spans were sent with. */
export interface Outcome {
  traces: TraceListItem[];
  spans: SpanResource[];
  sessions: unknown;
  /** Ids of spans that a filter or a text finds. */
  found: Record<string, string[]>;
  summary: unknown;
  series: unknown;
}

export class StoryTeller {
  private projects = 0;

  /** @param servers on one database. */
  constructor(private readonly servers: readonly ServerApp[]) {}

  /** All parts in one go. @returns the project. */
  async tellPlainly(story: Story): Promise<string> {
    const project = `plain-${++this.projects}`;
    await this.report(project, partsOf(story));
    return project;
  }

  /** Sends parts in one go. */
  report(project: string, parts: readonly Part[]): Promise<void> {
    return this.send(project, 0, parts);
  }

  /** The parts in another order. */
  shuffled(parts: readonly Part[], seed: number): Part[] {
    const below = random(seed);
    const drawn = parts.map((part) => ({ part, at: below(1_000_000) }));
    return drawn.toSorted((a, b) => a.at - b.at).map(({ part }) => part);
  }

  /** The parts shuffled, some of them twice, in exports of any size from several exporters at once. @returns the project. */
  async tellAnyhow(story: Story, seed: number): Promise<string> {
    const project = `anyhow-${++this.projects}`;
    const below = random(seed);
    const parts = partsOf(story);
    const again = parts.filter(() => below(3) === 0);
    const order = this.shuffled([...parts, ...again], seed);
    const exporters = Array.from({ length: EXPORTERS }, (): Part[][] => []);
    for (let at = 0; at < order.length;) {
      const size = 1 + below(6);
      exporters[below(EXPORTERS)]!.push(asSentOnce(order.slice(at, at + size)));
      at += size;
    }
    await Promise.all(
      exporters.map(async (requests, exporter) => {
        for (const request of requests) await this.send(project, exporter, request);
      }),
    );
    return project;
  }

  async outcome(project: string): Promise<Outcome> {
    const { traces } = await this.get<{ traces: TraceListItem[] }>(project, '/api/traces?limit=100');
    const { spans } = await this.get<{ spans: SpanResource[] }>(project, '/api/spans?limit=1000');
    const found: Outcome['found'] = {};
    for (const query of QUERIES) {
      const answer = await this.get<{ spans: SpanResource[] }>(project, `/api/spans?limit=1000&${query}`);
      found[query] = answer.spans.map(sentIdOf).toSorted();
    }
    return {
      traces: traces.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      spans: spans.map(asSent).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      sessions: await this.get(project, '/api/sessions?limit=100'),
      found,
      summary: await this.get(project, '/api/analytics/summary'),
      series: await this.call(project, 'POST', '/api/analytics', { group_by: 'hour' }),
    };
  }

  private get<Body>(project: string, url: string): Promise<Body> {
    return this.call<Body>(project, 'GET', url);
  }

  private async send(project: string, exporter: number, parts: readonly Part[]): Promise<void> {
    for (const { path, body } of bodiesOf(parts)) {
      const answer = await this.call<Record<string, unknown>>(project, 'POST', path, body, exporter);
      const { rejected = [], partialSuccess } = answer;
      if ((rejected as unknown[]).length > 0 || partialSuccess) throw new Error(`left out: ${JSON.stringify(answer)}`);
    }
  }

  private async call<Body>(project: string, method: string, url: string, body?: unknown, server = 0): Promise<Body> {
    const { api } = this.servers[server % this.servers.length]!;
    const answer = await api.send<Body>(method, url, body, { 'x-test-project': project });
    if (answer.status !== 200) throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

/** Two equal records of one export are two messages: only in another export is one a repetition. */
const asSentOnce = (parts: readonly Part[]): Part[] =>
  parts.filter((part, at) => part.path !== '/v1/logs' || parts.indexOf(part) === at);

const QUERIES = [
  'text_contains=asked+by+attribute',
  'input_contains=asked+by+log',
  'output_contains=answered+by+log',
  'model=gpt-5-mini',
  'tag=tag+1',
];

/** The id that the sender gave, behind its trace: which of two spans with one id keeps it depends on who comes first. */
const sentIdOf = ({ id, trace_id }: SpanResource): string => `${trace_id} ${sentId(id, trace_id)}`;

const sentId = (id: string, traceId: string): string => id.replace(`.${traceId}`, '');

const asSent = (span: SpanResource): SpanResource => ({
  ...span,
  id: sentIdOf(span),
  parent_id: span.parent_id && sentId(span.parent_id, span.trace_id),
});

/** The tokens of a trace that count: those of every span below which no other span has usage. */
export function countedTokens({ spans, recordings }: Story, traceId: string): number {
  const drawn = spans.filter(({ trace }) => traceIdOf(trace) === traceId);
  const calls = recordings.filter(({ trace }) => traceIdOf(trace) === traceId);
  const parents = new Map(drawn.map(({ id, parent }) => [id, parent === id ? null : parent]));
  const covered = new Set<number>();
  const cover = (from: number | null): void => {
    for (let id = from; id !== null && !covered.has(id); id = parents.get(id) ?? null) covered.add(id);
  };
  for (const span of drawn) if (reportsTokens(span)) cover(parents.get(span.id) ?? null);
  for (const { parent, tokens } of calls) if (tokens > 0) cover(parent);
  const counted = drawn.filter(({ id }) => !covered.has(id)).map(tokensOf);
  return [...counted, ...calls.map(({ tokens }) => tokens)].reduce((sum, tokens) => sum + tokens, 0);
}
