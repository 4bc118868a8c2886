/** docs/feedback.md: its examples run as they stand there. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { DeliverAlerts, EvaluateAlerts } from '@spandrel/alerts';
import { isInSample, sampleHash, type ScoreQualityAnswer, type ScoreResource } from '@spandrel/contract';
import { AccessSettings } from '../libs/access/src/access.settings.ts';
import { ConnectionsSettings } from '../libs/connections/src/connections.settings.ts';
import { said, startScriptedProvider, type ScriptedProvider } from './evals/scripted-provider.ts';
import { cloudApp, type CloudApp } from './support/cloud-app.ts';
import { createMigrated } from './support/migrated-database.ts';
import { startPostgres, type TestPostgres } from './support/postgres.ts';
import { until } from './support/spandrel.ts';
import type { Tenant } from './support/tenant.ts';
import { Receiver } from './support/webhook-receiver.ts';

const page = readFileSync(resolve('docs/feedback.md'), 'utf8');
const blocksOf = (language: string): string[] =>
  [...page.matchAll(/^```([\w ]+)\n(.*?)^```/gms)].flatMap(([, of, code]) => (of === language ? code! : []));

let postgres: TestPostgres;
let app: CloudApp;
let tenant: Tenant;
let provider: ScriptedProvider;
const receiver = new Receiver();
/** The judge passes every good answer, and bad ones that sound well; later none. */
let judge = (text: string): number => (/bad answer\b/.test(text) ? 0 : 1);
beforeAll(async () => {
  const { access } = parse(blocksOf('yaml')[0]!) as { access: { feedback_origins: string[] } };
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'feedback_page'), {
    settings: (settings) => {
      settings.of(AccessSettings).feedbackOrigins = access.feedback_origins;
      settings.of(ConnectionsSettings).allowPrivate = ['127.0.0.1'];
    },
  });
  provider = await startScriptedProvider(({ body }) =>
    said(`{"score": ${judge(JSON.stringify(body))}, "reason": "as the rubric says"}`),
  );
  tenant = await app.createTenant();
  await tenant.api.post('/api/ingest', { traces: [{ id: 'shop-1' }, { id: 'shop-2' }] });
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
  receiver.close();
  await postgres?.stop();
});

const type = async (command: string, more: Record<string, string> = {}): Promise<Record<string, never>> => {
  const env = { ...process.env, SPANDREL_API_URL: app.url, SPANDREL_API_KEY: tenant.key, TRACE: 'shop-1', ...more };
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env });
  return JSON.parse(stdout) as Record<string, never>;
};

/** Takes the example that is next on the page. @param contains what it is known by. */
const example = (contains: string, language = 'sh'): string => {
  const found = blocksOf(language).filter((code) => code.includes(contains));
  expect([contains, found]).toEqual([contains, [expect.any(String)]]);
  examples.delete(found[0]!);
  return found[0]!;
};
const examples = new Set(['sh', 'js page', 'js reviewer'].flatMap(blocksOf));

it('takes a thumb from a web page to the list of answers that were not liked', async () => {
  const { key, scopes } = await type(example('/api/keys'));
  expect(scopes).toEqual(['feedback']);
  const send = new Function(
    'SPANDREL_API_URL',
    'FEEDBACK_KEY',
    `${example('sendThumb', 'js page')}; return sendThumb;`,
  ) as (url: string, key: string) => (traceId: string, isUp: boolean) => Promise<boolean>;
  const sendThumb = send(app.url, key!);
  expect([await sendThumb('shop-1', false), await sendThumb('shop-2', true), await sendThumb('none', true)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(await type(example('grounded\\"'))).toMatchObject({
    ...{ name: 'grounded', value: 0.4, source: 'code', trace_id: 'shop-1' },
  });
  expect(await type(example('/api/traces'))).toMatchObject({
    traces: [{ id: 'shop-1', scores: { thumb: { count: 1, mean: 0 }, grounded: { count: 1, mean: 0.4 } } }],
  });
  expect(await type(example('/api/analytics/scores'))).toMatchObject({
    buckets: [{ name: 'thumb', count: 2, mean: 0.5 }],
  });
  expect(await type(example('"kind": "boolean"'))).toMatchObject({ name: 'thumb', kind: 'boolean' });
});

it("corrects a judge of one trace in ten by a hundred people's labels, and warns when its mean falls", async () => {
  const { body: connection } = await tenant.api.post<{ id: string }>('/api/provider-connections', {
    ...{ name: 'judge', provider: 'openai', api_key: 'sk-x', base_url: `${provider.url}/v1` },
  });
  const rule = await type(example('LlmJudge'), { JUDGE: connection.id });
  expect(rule).toMatchObject({ sample_rate: 0.1, max_cost_usd_per_day: 2, judge: { model: 'gpt-5-mini' } });

  // Three of five answers in the sample are good; of the two that are bad, one sounds well.
  const answers = ['good answer', 'good answer', 'good answer', 'bad answer', 'bad but well put'];
  const truth = new Map<string, number>();
  const record = async (prefix: string, sampled: number): Promise<number> => {
    const records = { traces: [] as object[], spans: [] as object[] };
    let chosen = 0;
    for (let n = 0; chosen < sampled; n++) {
      const id = `${prefix}-${n}`;
      const output = answers[isInSample(sampleHash(tenant.project.id, id), 0.1) ? chosen++ % answers.length : 0]!;
      const at = new Date().toISOString();
      truth.set(`${id}-span`, output.startsWith('good') ? 1 : 0);
      records.traces.push({ id });
      const span = { id: `${id}-span`, trace_id: id, name: 'answer', input: 'What is it?', output };
      records.spans.push({ ...span, started_at: at, ended_at: at });
    }
    expect((await tenant.api.post<{ rejected: unknown[] }>('/api/ingest', records)).body.rejected).toEqual([]);
    return records.traces.length;
  };
  const scored = async () =>
    (await tenant.api.get<{ state: { scored: number } }>(`/api/scoring-rules/${rule['id']!}`)).body.state.scored;
  const recorded = await record('asked', 150);
  expect(recorded).toBeGreaterThan(1_000);
  await until(async () => (await scored()) === 150);
  // One in ten was judged, and no other was sent to the judge.
  expect(provider.calls).toHaveLength(150);

  expect(await type(example('"min": 0'))).toMatchObject({ name: 'helpful', kind: 'number' });
  expect(await type(example('/api/queue'))).toMatchObject({ count: 100 });
  const { key: reviewKey } = await tenant.createKey(['review']);
  const review = new Function(
    ...['SPANDREL_API_URL', 'REVIEW_KEY', `${example('review(say)', 'js reviewer')}; return review;`],
  )(app.url, reviewKey) as (say: (spanId: string) => number) => Promise<number>;
  expect(await review((spanId) => truth.get(spanId)!)).toBe(100);

  const people = await tenant.api.get<{ scores: ScoreResource[] }>('/api/scores?source=human&name=helpful&limit=1000');
  const bySpan = people.body.scores.map(({ span_id: span, value }) => ({ span: span!, value }));
  expect(bySpan).toHaveLength(100);
  const judged = await tenant.api.get<{ scores: ScoreResource[] }>('/api/scores?source=judge&name=helpful&limit=1000');
  const verdicts = new Map(judged.body.scores.map(({ span_id: span, value }) => [span, value]));
  const bad = bySpan.filter(({ value }) => value === 0);
  const caught = bad.filter(({ span }) => verdicts.get(span) === 0).length / bad.length;
  const quality = (await type(example('/api/analytics/quality'))) as unknown as ScoreQualityAnswer;
  expect(quality).toMatchObject({
    judge: { mean: expect.closeTo(0.8, 9), n: 50 },
    human: { mean: expect.closeTo(1 - bad.length / 100, 9), k: 100 },
    corrected: { mean: expect.closeTo((0.8 + caught - 1) / caught, 9), ci: { level: 0.95 } },
    ...{ true_pass_rate: { rate: 1 }, true_fail_rate: { rate: expect.closeTo(caught, 9) } },
  });
  // The judge alone says 0.8; corrected, its interval has what is true of the sample.
  expect(quality.corrected!.ci.low).toBeLessThan(0.6);
  expect(quality.corrected!.ci.high).toBeGreaterThan(0.6);
  expect(quality.corrected!.ci.high).toBeLessThan(0.8);

  const hook = await receiver.start();
  const { id: channel } = await type(example('/api/alert-channels').replace('https://hooks.example.com', hook));
  const cost = await type(example('"measure": "cost"'), { CHANNEL: channel! });
  expect(cost).toMatchObject({ group_by: 'user', channel_ids: [channel] });
  const { id: alert } = await type(example('score_mean'), { CHANNEL: channel! });
  const pass = async (inMinutes: number): Promise<string> => {
    const now = () => Date.now() + inMinutes * 60_000;
    await app.app.get(EvaluateAlerts).evaluateDue(now);
    await app.app.get(DeliverAlerts).deliverDue(now);
    return (await tenant.api.get<{ state: string }>(`/api/alerts/${alert!}`)).body.state;
  };
  await until(async () => (await pass(1)) === 'ok');
  judge = () => 0;
  await record('worse', 100);
  await until(async () => (await scored()) === 250);
  expect(await pass(3)).toBe('firing');
  await until(() => receiver.of(alert!).length > 0);
  // The mean of all scores of the name within the hour, people's among them.
  const sum = 150 * 0.8 + bySpan.reduce((all, { value }) => all + value!, 0);
  expect(receiver.of(alert!)).toMatchObject([{ type: 'alert.firing', value: expect.closeTo(sum / 350, 9) }]);
  expect([...examples]).toEqual([]);
});
