/** Why scoring rules scored something or not, for a thousand pairs of a rule and a span, on both databases. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isInSample, sampleHash, type ScoringExplanation, type ScoringRuleResource } from '@spandrel/contract';
import { describeOnBothDatabases } from './support/databases.ts';
import { random } from './support/random.ts';
import { startServerApp, type ServerApp } from './support/server-app.ts';
import { until } from './support/spandrel.ts';

const SPANS = 120;
const PAIRS = 1_000;
/** What an explanation may take of the processor, the asking of it included. */
const CPU_MS_MAX = 50;

interface Recorded {
  id: string;
  trace: string;
  name: string;
  model: string;
  tags: string[];
  isRunning: boolean;
}

interface Asked {
  filters?: { model?: string; name_contains?: string; tag?: string; exclude_tag?: string[] };
  sample_rate: number;
  cohort?: string;
  enabled?: boolean;
}

const RULES: Asked[] = [
  { sample_rate: 1 },
  { sample_rate: 0.1 },
  { sample_rate: 0.5, cohort: 'other' },
  { sample_rate: 0.5, filters: { model: 'm1' } },
  { sample_rate: 0.7, filters: { name_contains: 'answer', exclude_tag: [] } },
  { sample_rate: 0.9, filters: { tag: 'vip' } },
  { sample_rate: 1, filters: { model: 'm0', name_contains: 'plan', exclude_tag: ['vip'] } },
  { sample_rate: 0, filters: {} },
  { sample_rate: 1, enabled: false },
];

/** The filters of a rule that a span does not meet, as docs/spec/online-scoring.md has them. */
function failedFilters({ filters = {} }: Asked, { name, model, tags }: Recorded): string[] {
  const excluded = filters.exclude_tag ?? ['eval', 'try'];
  const fails = {
    model: filters.model !== undefined && filters.model !== model,
    name_contains: filters.name_contains !== undefined && !name.includes(filters.name_contains),
    tag: filters.tag !== undefined && !tags.includes(filters.tag),
    exclude_tag: tags.some((tag) => excluded.includes(tag)),
  };
  return Object.entries(fails).flatMap(([filter, isFailed]) => (isFailed ? [filter] : []));
}

function expectedOf(rule: Asked, span: Recorded): ScoringExplanation['decision'] {
  if (rule.enabled === false) return 'disabled';
  if (span.isRunning) return 'not_ended';
  if (failedFilters(rule, span).length > 0) return 'filtered';
  return isInSample(sampleHash(rule.cohort ?? 'local', span.trace), rule.sample_rate) ? 'scored' : 'sampled_out';
}

describeOnBothDatabases('explanations of scoring rules', ({ newDatabase }) => {
  let server: ServerApp;
  beforeAll(async () => {
    server = await startServerApp(await newDatabase('explained'));
  });
  afterAll(() => server?.close());

  it(`are right for ${PAIRS} pairs, and take less than ${CPU_MS_MAX} ms of CPU on average`, async () => {
    const below = random(33);
    const pick = <T>(of: readonly T[]): T => of[below(of.length)]!;
    const rules: { asked: Asked; made: ScoringRuleResource }[] = [];
    for (const [n, asked] of RULES.entries()) {
      const body = { name: `rule ${n}`, scoring: 'Regex', scoring_config: { pattern: 'Ada' }, ...asked };
      const made = await server.api.post<ScoringRuleResource>('/api/scoring-rules', body);
      expect([made.status, made.body]).toEqual([201, expect.anything()]);
      rules.push({ asked, made: made.body });
    }
    const spans = Array.from({ length: SPANS }, (_, n): Recorded => ({
      ...{
        id: `span${n}`,
        trace: `trace${n}`,
        name: pick(['answer', 'plan', 'search']),
        model: pick(['m0', 'm1', 'm2']),
      },
      ...{ tags: pick([[], [], ['vip'], ['eval'], ['vip', 'eval']]), isRunning: below(10) === 0 },
    }));
    const now = new Date().toISOString();
    const { body } = await server.api.post<{ rejected: unknown[] }>('/api/ingest', {
      traces: spans.map(({ trace, tags }) => ({ id: trace, tags })),
      spans: spans.map(({ id, trace, name, model, isRunning }) => ({
        ...{ id, trace_id: trace, name, input: 'Who?', output: 'Ada.', started_at: now },
        ...{ kind: { type: 'llm_call', model }, ...(!isRunning && { ended_at: now }) },
      })),
    });
    expect(body.rejected).toEqual([]);
    const read = async (id: string) => (await server.api.get<ScoringRuleResource>(`/api/scoring-rules/${id}`)).body;
    for (const { asked, made } of rules) {
      const scored = spans.filter((span) => expectedOf(asked, span) === 'scored').length;
      await until(async () => (await read(made.id)).scored_count === scored, 120_000);
    }

    const pairs = rules.flatMap((rule) => spans.map((span) => ({ rule, span, at: below(1_000_000) })));
    const chosen = pairs.toSorted((a, b) => a.at - b.at).slice(0, PAIRS);
    expect(chosen).toHaveLength(PAIRS);
    const seen = new Set<string>();
    const began = process.cpuUsage();
    for (const { rule, span } of chosen) {
      const path = `/api/scoring-rules/${rule.made.id}/explain?span_id=${span.id}`;
      const { decision, failed_filter: failed, hash } = (await server.api.get<ScoringExplanation>(path)).body;
      expect([rule.made.name, span, decision]).toEqual([rule.made.name, span, expectedOf(rule.asked, span)]);
      expect(hash).toBe(sampleHash(rule.asked.cohort ?? 'local', span.trace));
      if (decision === 'filtered') expect(failedFilters(rule.asked, span)).toContain(failed);
      else expect(failed).toBeNull();
      seen.add(decision);
    }
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1_000 / PAIRS).toBeLessThan(CPU_MS_MAX);
    expect([...seen].toSorted()).toEqual(['disabled', 'filtered', 'not_ended', 'sampled_out', 'scored']);
  });
});
