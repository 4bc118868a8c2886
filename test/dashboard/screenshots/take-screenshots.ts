/**
 * Takes the pictures of the documents again, of the built program with the traffic of `npm run demo:realistic`:
 *
 *     npm run build && node_modules/.bin/node test/dashboard/screenshots/take-screenshots.ts [folder]
 */
import '../../../bin/require-node.mjs';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { said, startScriptedProvider } from '../../evals/scripted-provider.ts';
import { takeDirectory, type Program } from '../../support/places.ts';
import { findChromium } from '../find-chromium.ts';

const { recordRealistic } = (await import('../../../scripts/demo-realistic/main.mjs' as string)) as {
  recordRealistic(server: { url: string }, options: object): Promise<Pick<Made, 'dataset' | 'runs'>>;
};

/** What the pictures are of. */
interface Made {
  dataset: string;
  runs: readonly string[];
  call: { id: string; trace_id: string; parent_id: string | null };
  session: string;
  rule: string;
  alert: string;
}

interface Picture {
  name: string;
  path(made: Made): string;
  colorScheme?: 'dark';
  /** What one does before the picture is worth looking at. */
  prepare?(page: Page): Promise<void>;
}

/** A chart is drawn a moment after its figure is there. */
const DRAWN_MS = 1_000;

const PICTURES: readonly Picture[] = [
  { name: 'traces', path: () => '/traces', prepare: (page) => page.getByRole('row').nth(12).waitFor() },
  {
    name: 'trace',
    path: ({ call }) => `/traces/${call.trace_id}?span=${call.id}`,
    prepare: async (page) => {
      await page.getByRole('article').last().waitFor();
      await page.getByText('How this cost was computed').click();
      await page.getByRole('table', { name: 'Parts of the cost' }).waitFor();
    },
  },
  {
    name: 'flame-dark',
    path: ({ call }) => `/traces/${call.trace_id}?view=flame&span=${call.id}`,
    colorScheme: 'dark',
    prepare: (page) => page.getByRole('article').last().waitFor(),
  },
  {
    name: 'analytics',
    path: () => '/analytics?range=7d&split_by=model',
    prepare: (page) => page.getByRole('figure', { name: 'Latency' }).waitFor(),
  },
  {
    name: 'alert',
    path: ({ alert }) => `/alerts/${alert}`,
    prepare: (page) => page.getByRole('table', { name: 'Deliveries' }).waitFor(),
  },
  {
    name: 'session',
    path: ({ session }) => `/sessions/${session}`,
    prepare: (page) => page.getByRole('article').nth(1).waitFor(),
  },
  {
    name: 'scoring-rule',
    path: ({ rule }) => `/scoring-rules/${rule}`,
    prepare: async (page) => {
      await page.getByRole('row').nth(2).waitFor();
      await page.getByRole('button', { name: 'Test on a span' }).click();
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByText('Prompt: user').click();
    },
  },
  {
    name: 'compare',
    path: ({ runs: [first, second] }) => `/evaluations/compare?runs=${first},${second}&baseline=${first}`,
    prepare: async (page) => {
      await page.getByRole('grid', { name: 'Comparison' }).getByRole('row').nth(1).click();
      await page.getByRole('region', { name: 'Difference' }).waitFor();
    },
  },
  {
    name: 'review',
    path: ({ dataset }) => `/review/${dataset}`,
    prepare: (page) => page.getByRole('button', { name: 'Approve' }).waitFor(),
  },
  {
    name: 'review-traces',
    path: () => '/review/traces',
    prepare: (page) => page.getByRole('region', { name: 'Item' }).getByRole('article').nth(1).waitFor(),
  },
];

/** A rule whose judge answers from here, for a rubric of its own. */
async function makeRule({ api }: Program, judge: string): Promise<string> {
  const connection = { name: 'OpenAI', provider: 'openai', api_key: 'sk-x', base_url: `${judge}/v1` };
  const { body: stored } = await api.post<{ id: string }>('/api/provider-connections', connection);
  const { body } = await api.post<{ id: string }>('/api/scoring-rules', {
    ...{ name: 'Answers the question', scoring: 'LlmJudge', scoring_config: { rubric: 'answer_relevance' } },
    ...{ judge: { connection_id: stored.id, model: 'gpt-4o' }, filters: { kind: 'llm_call' } },
    ...{ sample_rate: 0.1, max_cost_usd_per_day: 2 },
  });
  return body.id;
}

/** Records the traffic, and finds the call, the session and the dataset that the pictures show. */
async function record(program: Program, judge: string): Promise<Made> {
  const { api, apiUrl: url } = program;
  const rule = await makeRule(program, judge);
  const { dataset, runs } = await recordRealistic({ url }, {});
  const { body } = await api.get<{ spans: Made['call'][] }>(
    '/api/spans?name_contains=claude-sonnet&sort_by=cost&limit=200&view=outline',
  );
  const { body: listed } = await api.get<{ sessions: { session_id: string; trace_count: number }[] }>(
    '/api/sessions?limit=50',
  );
  const session = listed.sessions.find(({ trace_count: traces }) => traces >= 3) ?? listed.sessions[0]!;
  const { body: kept } = await api.get<{ datapoints: { id: string }[] }>(`/api/datasets/${dataset}/datapoints?limit=8`);
  await api.post(`/api/datasets/${dataset}/queue`, { datapoint_ids: kept.datapoints.map(({ id }) => id) });
  const hook = { name: 'On call', kind: 'webhook', url: 'http://127.0.0.1:9/hook' };
  const { body: channel } = await api.post<{ id: string }>('/api/alert-channels', hook);
  const { body: alert } = await api.post<{ id: string }>('/api/alerts', {
    ...{ name: 'A user costs more than 20 cents a day', measure: 'cost', group_by: 'user', window: '1d' },
    ...{ condition: { op: '>', value: 0.2 }, channel_ids: [channel.id] },
  });
  const call = body.spans.find(({ parent_id: parent }) => parent !== null)!;
  await api.post('/api/score-definitions', { name: 'helpful', kind: 'boolean' });
  const categories = [{ label: 'kind' }, { label: 'curt' }, { label: 'rude' }];
  await api.post('/api/score-definitions', { name: 'tone', kind: 'category', categories });
  const form = { form: ['helpful', 'tone'], instructions: 'Judge the last answer alone.' };
  await api.post('/api/queue', { span_ids: [call.id], reviews_required: 2, ...form });
  return {
    dataset,
    runs,
    alert: alert.id,
    call,
    ...{ session: session.session_id, rule },
  };
}

const folder = resolve(process.argv[2] ?? 'docs/images');
mkdirSync(folder, { recursive: true });
const place = await takeDirectory();
const judge = await startScriptedProvider(() =>
  said('{"score": 0.75, "reason": "It answers, with a detail left out."}'),
);
const executablePath = findChromium();
if (executablePath === undefined) throw new Error('there is no chromium on the PATH');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const program = await place.start({});
  const made = await record(program, judge.url);
  for (const { name, path, colorScheme = 'light', prepare } of PICTURES) {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 800 }, colorScheme, timezoneId: 'UTC' });
    await page.goto(`${program.apiUrl}${path(made)}`);
    await prepare?.(page);
    await page.waitForTimeout(DRAWN_MS);
    await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
    await page.close();
    process.stdout.write(`${join(folder, name)}.png\n`);
  }
} finally {
  await browser.close();
  await place.close();
  await judge.close();
}
