/** axe finds nothing on any page and in any dialog, in either palette, on a wide screen and on a narrow one. */
import { afterAll, describe, expect } from '@jest/globals';
import { inBrowser } from './dashboard-browser.ts';
import { expectSoon, settled } from './page-steps.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const { recordRealistic } = (await import('../../scripts/demo-realistic/main.mjs' as string)) as {
  recordRealistic(server: { url: string }, options: { sessions: number }): Promise<unknown>;
};

/** What other journeys would find, by its path. */
const notForOthers: string[] = [];
let made: { dataset: string; runs: readonly string[] };

/** A few days of traffic, a connection, a rule, a review, a board and an alert. */
async function recordAll(): Promise<void> {
  const { api, apiUrl: url } = program;
  made = (await recordRealistic({ url }, { sessions: 4 })) as typeof made;
  const connection = { name: 'OpenAI', provider: 'openai', api_key: 'sk-test', base_url: 'http://127.0.0.1:9/v1' };
  const { body: stored } = await api.post<{ id: string }>('/api/provider-connections', connection);
  const judge = { connection_id: stored.id, model: 'gpt-5.1' };
  await api.post('/api/scoring-rules', { name: 'Helpful', scoring: 'LlmJudge', judge, sample_rate: 0 });
  await api.post(`/api/datasets/${made.dataset}/capture-rules`, { name: 'Slow', filters: { min_duration_ms: 900 } });
  const { body: channel } = await api.post<{ id: string }>('/api/alert-channels', {
    ...{ name: 'On call', kind: 'webhook', url: 'http://127.0.0.1:9/hook' },
  });
  const rule = { measure: 'calls', group_by: 'user', window: '7d', condition: { op: '>', value: 1 } };
  await api.post('/api/alerts', { name: 'Many calls', ...rule, channel_ids: [channel.id] });
  const { body } = await api.get<{ datapoints: { id: string }[] }>(`/api/datasets/${made.dataset}/datapoints?limit=3`);
  const trace_id = await traceId();
  for (const [path, body] of [
    ['/api/score-definitions', { name: 'grade', kind: 'number', min: 0, max: 1 }],
    ['/api/views', { page: 'traces', name: 'Failed', query: 'status=failed' }],
  ] as const)
    notForOthers.push(`${path}/${(await api.post<{ id: string }>(path, body)).body.id}`);
  await api.post('/api/scores', { name: 'helpful', value: 0.5, trace_id });
  await api.post('/api/comments', { target_type: 'trace', target_id: trace_id, text: 'Look, @ana.' });
  await api.post(`/api/datasets/${made.dataset}/queue`, { datapoint_ids: body.datapoints.map(({ id }) => id) });
  await api.post('/api/queue', { trace_ids: [await traceId()], reviews_required: 2 });
}

const first = async (path: string, list: string): Promise<string> =>
  (await program.api.get<Record<string, { id?: string; session_id?: string; user_id?: string }[]>>(path)).body[
    list
  ]!.map(({ id, session_id: session, user_id: user }) => id ?? session ?? user ?? '')[0]!;

const traceId = () => first('/api/traces?limit=1&name_contains=traveller', 'traces');

/** Every page, by what its address is made of. */
const PAGES: readonly (readonly [string, () => string | Promise<string>])[] = [
  ['Traces', () => '/traces'],
  ['Traces that none match', () => '/traces?name_contains=nothing-is-called-so'],
  ['Sessions', () => '/sessions'],
  ['Users', () => '/users'],
  ['Spans', () => '/spans'],
  ['Analytics', () => '/analytics?split_by=model'],
  ['Boards', () => '/boards'],
  ['Alerts', () => '/alerts'],
  ['Channels of alerts', () => '/alerts?tab=channels'],
  ['an alert', async () => `/alerts/${await first('/api/alerts?limit=1', 'alerts')}`],
  ['Datasets', () => '/datasets'],
  ['Evaluations', () => '/evaluations'],
  ['Review', () => '/review'],
  ['Scoring rules', () => '/scoring-rules'],
  ['Connections', () => '/connections'],
  ['a try', async () => `/try?span=${await first('/api/spans?limit=1&kind=llm_call', 'spans')}`],
  ['Events', () => '/events'],
  ['Settings', () => '/settings'],
  ['the page to sign in', () => '/sign-in'],
  ['a page that is not there', () => '/nope'],
  ['a dataset that is not there', () => '/datasets/nope'],
  ['a datapoint that is not there', () => `/datasets/${made.dataset}/datapoints/nope`],
  ['a run that is not there', () => '/evaluations/nope'],
  ['a board that is not there', () => '/boards/nope'],
  ['an alert that is not there', () => '/alerts/nope'],
  ['a trace that is not there', () => '/traces/nope'],
  ['a trace', async () => `/traces/${await traceId()}`],
  ['a trace as a flame graph', async () => `/traces/${await traceId()}?view=flame`],
  ['a trace as an agent graph', async () => `/traces/${await traceId()}?view=graph`],
  ['a trace beside the list', async () => `/traces?peek=${await traceId()}`],
  ['a session', async () => `/sessions/${await first('/api/sessions?limit=1', 'sessions')}`],
  ['a user', async () => `/users/${encodeURIComponent(await first('/api/users?limit=1', 'users'))}`],
  ['a board', async () => `/boards/${await first('/api/boards?limit=1', 'boards')}`],
  ['a scoring rule', async () => `/scoring-rules/${await first('/api/scoring-rules?limit=1', 'scoring_rules')}`],
  ['a dataset', () => `/datasets/${made.dataset}`],
  ['the runs of a dataset', () => `/datasets/${made.dataset}?tab=runs`],
  ['the rules of a dataset', () => `/datasets/${made.dataset}?tab=rules`],
  [
    'a datapoint',
    async () =>
      `/datasets/${made.dataset}/datapoints/${await first(`/api/datasets/${made.dataset}/datapoints?limit=1`, 'datapoints')}`,
  ],
  ['a new datapoint', () => `/datasets/${made.dataset}/datapoints/new`],
  ['a new evaluation', () => `/evaluations/new?dataset=${made.dataset}`],
  ['a run', () => `/evaluations/${made.runs[0]}`],
  ['a comparison', () => `/evaluations/compare?runs=${made.runs.slice(0, 2).join()}&baseline=${made.runs[0]}`],
  ['a review', () => `/review/${made.dataset}`],
  ['a review of traces', () => '/review/traces'],
  ['the progress of a review', () => '/review/traces?view=progress'],
];

/** Stands for the checkbox of the first row: what a selection begins with. */
const A_ROW = 'a row';

/** Dialogs by the page that has them and the buttons that lead there. */
const DIALOGS: readonly (readonly [string, ...(string | RegExp)[]])[] = [
  ['/traces', 'Command menu'],
  ['/traces', 'Keyboard shortcuts'],
  ['/traces', 'Columns'],
  ['/traces', 'Save view'],
  ['/traces', 'Add filter'],
  ['/traces', 'Add filter', 'Metadata'],
  ['/traces', 'Views', 'Manage views'],
  ['/traces', A_ROW, 'Add to dataset'],
  ['/traces', A_ROW, 'Send to review'],
  ['/traces', A_ROW, 'Delete'],
  ['/spans', 'Add filter', 'Kind'],
  ['/spans', A_ROW, 'Add to dataset'],
  ['a trace', 'Delete trace'],
  ['a trace', 'Add to dataset'],
  ['a trace', 'More'],
  ['a trace', 'Send to review'],
  ['a trace', 'Replay'],
  ['a trace', 'Add score'],
  ['a trace', 'helpful 0.5'],
  ['a trace', 'Comments (1)'],
  ['/settings', 'New definition'],
  ['/settings', 'Delete grade'],
  ['/settings', 'Import a backup file'],
  ['/settings', 'Delete all traces'],
  ['/boards', 'New board'],
  ['/analytics', 'Pin to board'],
  ['/analytics', 'Create alert'],
  ['/alerts', 'New alert'],
  ['/alerts?tab=channels', 'New channel'],
  ['/alerts?tab=channels', 'Deliveries of On call'],
  ['/alerts?tab=channels', 'Edit On call'],
  ['/alerts?tab=channels', 'Delete On call'],
  ['an alert', 'Edit'],
  ['an alert', 'Delete'],
  ['a board', 'Rename'],
  ['a board', 'Create alert'],
  ['/datasets', 'New dataset'],
  ['a dataset', A_ROW, 'Delete'],
  ['a dataset', A_ROW, 'Send to review'],
  ['a dataset', 'Import'],
  ['a dataset', 'Export'],
  ['a dataset', 'Edit'],
  ['a dataset', 'Delete dataset'],
  ['the rules of a dataset', 'New rule'],
  ['a run', 'Delete run'],
  ['a run', 'Edit gates'],
  ['a trace', 'Why was this not scored?'],
  ['/scoring-rules', 'New rule'],
  ['a scoring rule', 'Test on a span'],
  ['a scoring rule', 'Backfill'],
  ['a scoring rule', 'Edit'],
  ['a scoring rule', 'Delete'],
  ['/connections', 'New connection'],
  ['/connections', /^Edit /],
  ['/connections', /^Delete /],
];

const pathOf = async (name: string): Promise<string> =>
  name.startsWith('/') ? name : await PAGES.find(([page_]) => page_ === name)![1]();

/** What axe finds in both palettes, on the page as it stands. */
async function findings(where: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const rules = colorScheme === 'light' ? 'all' : 'colours';
    found.push(...(await watched.axe(rules)).map((fault) => `${where}, ${colorScheme}: ${fault}`));
  }
  return found;
}

const shown = async (): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await settled(page, () => page.evaluate('document.querySelectorAll("*").length'));
};

/** Selects the first row, which may become another while the list is still being read. */
async function selectFirstRow(): Promise<void> {
  const box = page.getByRole('grid').getByRole('row').nth(1).getByRole('checkbox');
  await expectSoon(async () => {
    if (!(await box.isChecked())) await box.click();
    return box.isChecked();
  }, true);
}

/** Width and height of the window, and the half of what is looked at: there is a limit of time for each. */
const HALVES = [
  [1_440, 900, 0],
  [1_440, 900, 1],
  [390, 844, 0],
  [390, 844, 1],
] as const;

describe('axe', () => {
  journeysOn(recordAll)();
  afterAll(async () => {
    await page?.setViewportSize({ width: 1_280, height: 600 });
    for (const path of notForOthers) await program.api.delete(path);
  });

  inBrowser.each(HALVES)('finds nothing on any page at %i by %i pixels, half %i', async (width, height, half) => {
    await page.setViewportSize({ width, height });
    const found: string[] = [];
    for (const [name, path] of PAGES.filter((_, at) => at % 2 === half)) {
      await page.goto(program.apiUrl + (await path()));
      await shown();
      found.push(...(await findings(name)));
    }
    expect(found).toEqual([]);
  });

  inBrowser.each(HALVES)('finds nothing in any dialog at %i by %i pixels, half %i', async (width, height, half) => {
    await page.setViewportSize({ width, height });
    const found: string[] = [];
    for (const [name, ...buttons] of DIALOGS.filter((_, at) => at % 2 === half)) {
      await page.goto(program.apiUrl + (await pathOf(name)));
      await shown();
      for (const [at, button] of buttons.entries()) {
        const role = at === 0 || buttons[at - 1] === A_ROW ? 'button' : 'menuitem';
        await (button === A_ROW
          ? selectFirstRow()
          : page.getByRole(role, { name: button, exact: true }).first().click());
      }
      await page.locator('dialog:modal, [role=menu], [role=group][aria-label=Columns]').first().waitFor();
      await settled(page, () => page.evaluate('document.querySelectorAll("*").length'));
      found.push(...(await findings(`${name} ${buttons.join(', ')}`)));
    }
    expect(found).toEqual([]);
  });
});
