/** Search over spans as a whole: cloud mode, pgvector, an endpoint for vectors (docs/spec/search.md). */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccessSettings } from '@spandrel/access';
import { SearchSettings, SearchWorker } from '@spandrel/search';
import { sql } from '@spandrel/storage';
import type { CloudApp } from '../support/cloud-app.ts';
import { DashboardBrowser, expectNoFaults, inBrowser } from '../dashboard/dashboard-browser.ts';
import { overHttp } from '../mcp/clients.ts';
import { startServerApp } from '../support/server-app.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { SearchLab, Searcher } from './search-lab.ts';
import { anyRows } from '../support/any-rows.ts';

let lab: SearchLab;
let where: { url: string; schema: string };
let app: CloudApp;
/** With a connection for vectors. */
let one: Searcher;
/** Without. */
let two: Searcher;

const backlog = async (of: CloudApp = app): Promise<number> => {
  const [row] = await of.storage.read(anyRows<{ count: number }>()`select count(*) as count from search_task`);
  return row!.count;
};
const idle = (of?: CloudApp): Promise<void> => until(async () => (await backlog(of)) === 0);

beforeAll(async () => {
  lab = await SearchLab.open();
  where = await lab.newDatabase();
  app = await lab.start(where);
  one = new Searcher(await app.createTenant());
  two = new Searcher(await app.createTenant());
  await one.connect(lab.embeddings.url);
});
afterAll(() => lab?.close());

describe('search', () => {
  it('finds spans by words of any language and by meaning, soon after they finish', async () => {
    await one.record(
      { id: 'en', input: { messages: [{ role: 'user', content: 'How long does a refund take?' }] } },
      { id: 'de', output: 'Die RÜCKERSTATTUNG dauert eine Woche', kind: { type: 'llm_call', model: 'gpt-4o' } },
      { id: 'ja', input: '返金 について', output: ['深い', 42.5, true] },
      { id: 'zh', name: '我们的退款政策' },
      { id: 'ar', output: 'سياسة استرداد الأموال' },
      { id: 'weather', input: 'sunny weather tomorrow', output: 'umbrella 🌂' },
    );
    await idle();
    for (const [query, id] of [
      ['refund take', 'en'],
      ['rückerstattung', 'de'],
      ['42.5', 'ja'],
      ['退款', 'zh'],
      ['استرداد', 'ar'],
      ['🌂', 'weather'],
    ] as const) {
      expect([query, await one.find(query)]).toEqual([query, [id]]);
    }
    expect(await one.find('user role')).toEqual([]); // Member names are no text.
    expect((await one.find('reimbursement', { mode: 'vector', limit: 3 })).sort()).toEqual(['de', 'en', 'ja']);
    expect((await one.find('refund', { mode: 'hybrid' }))[0]).toBe('en');
    const [best, ...rest] = await one.spans({ query: 'refund', mode: 'vector' });
    expect(rest.every(({ score }) => score <= best!.score)).toBe(true);
    expect(best).toMatchObject({ name: 'step', status: 'completed', trace_id: 't' });
  });

  it('answers without texts where outlines are asked for', async () => {
    const words = { query: 'refund take', view: 'outline' };
    const whole = await one.spans({ query: 'refund take' });
    const outlines = await one.spans(words);
    expect(outlines.map(({ id, score }) => [id, score])).toEqual(whole.map(({ id, score }) => [id, score]));
    expect(outlines[0]).toMatchObject({ input_preview: null, input_bytes: JSON.stringify(whole[0]!.input).length });
    expect(outlines[0]).not.toHaveProperty('input');
    expect(await one.spans({ ...words, preview: 8 })).toMatchObject([{ input_preview: '{"messag' }]);
    expect((await one.search({ ...words, preview: 2_001 })).status).toBe(400);
  });

  it('is a tool of agents, for projects that can', async () => {
    const client = await overHttp({ url: app.url, key: one.tenant.key });
    expect((await client.list()).map(({ name }) => name)).toContain('search_spans');
    const scored = { name: 'tone', value: 0.5, span_id: 'en' };
    expect((await one.tenant.api.post('/api/scores', scored)).status).toBe(201);
    const [found, meant] = [
      await client.call('search_spans', { query: 'refund take', kind: 'custom' }),
      await client.call('search_spans', { query: 'reimbursement', mode: 'vector', limit: 3, max_chars: 2_000 }),
    ];
    expect(found).toMatchObject({
      isError: false,
      body: { spans: [{ id: 'en', score: expect.any(Number), scores: { tone: { mean: 0.5 } } }], next_cursor: null },
    });
    // Both views have the scores of spans, where they are asked for.
    for (const view of ['full', 'outline']) {
      expect(await one.spans({ query: 'refund take', view, include: 'scores' })).toMatchObject([
        { id: 'en', scores: { tone: { count: 1, mean: 0.5 } } },
      ]);
      expect((await one.spans({ query: 'umbrella', view, include: 'scores' }))[0]).toMatchObject({ scores: {} });
      expect((await one.spans({ query: 'refund take', view }))[0]).not.toHaveProperty('scores');
    }
    expect(meant.body.spans.length + (meant.body.left_out ?? 0)).toBe(3);
    expect(await client.call('search_spans', { query: 'x', kinds: 'y' })).toMatchObject({
      ...{
        isError: true,
        body: { code: 'validation_failed', detail: expect.stringContaining('did you mean "kind"?') },
      },
    });
    await client.close();
  });

  inBrowser('is a mode of the page of spans', async () => {
    const browser = new DashboardBrowser();
    try {
      const { baseUrl, headers } = one.tenant.api;
      const watched = await browser.open(baseUrl, { extraHTTPHeaders: { ...headers } });
      const { page } = watched;
      const links = () => page.getByRole('grid', { name: 'Spans' }).getByRole('link').allTextContents();
      await page.goto(`${baseUrl}/spans`);
      await page.getByRole('combobox', { name: 'Search mode' }).selectOption('All words');
      await page.getByRole('searchbox', { name: 'Search in texts' }).fill('take refund');
      await page.keyboard.press('Enter');
      await page.getByRole('status', { name: 'Result count' }).getByText('1 span', { exact: true }).waitFor();
      expect(await links()).toEqual(['step']);
      expect(new URL(page.url()).search).toBe('?mode=text&text_contains=take+refund');
      expect(await watched.axe()).toEqual([]);
      // Nobody said it letter by letter.
      await page.getByRole('combobox', { name: 'Search mode' }).selectOption('Exact text');
      await page.getByRole('heading', { name: 'No spans match these filters' }).waitFor();
      expectNoFaults(watched);
    } finally {
      await browser.close();
    }
  });

  it('filters exactly', async () => {
    await one.record(
      { id: 'f1', trace: 'f', input: 'filtered', startedAt: '2026-01-01T00:00:00Z' },
      { id: 'f2', trace: 'g', input: 'filtered', kind: { type: 'llm_call', model: 'm', provider: 'p' } },
    );
    await one.tenant.api.patch('/api/traces/g', { session_id: 'session', tags: ['prod', 'täg'] });
    await idle();
    const filters: [Record<string, unknown>, string[]][] = [
      [{}, ['f1', 'f2']],
      [{ trace_id: 'f' }, ['f1']],
      [{ session_id: 'session' }, ['f2']],
      [{ tag: 'täg', kind: 'llm_call', model: 'm', provider: 'p', status: 'completed' }, ['f2']],
      [{ status: 'failed' }, []],
      [{ since: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:01Z' }, ['f1']],
      [{ until: '2026-01-01T00:00:00Z' }, []],
    ];
    for (const [of, ids] of filters) {
      for (const mode of ['text', 'hybrid']) {
        const found = await one.find('filtered', { mode, filters: of });
        expect([mode, of, found.filter((id) => /^f\d$/.test(id)).sort()]).toEqual([mode, of, ids]);
      }
    }
    expect(await one.find('filtered', { limit: 1 })).toHaveLength(1);
    for (const odd of ['\0', '\ud800', "' or 1=1 --", '%']) {
      expect(await one.find('filtered', { filters: { trace_id: odd } })).toEqual([]);
    }
  });

  it('shows no project what another one recorded', async () => {
    await two.record({ id: 'en', input: 'secret of two' });
    await two.findsSoon('secret', ['en']);
    expect(await one.find('secret')).toEqual([]);
    expect(await two.find('refund')).toEqual([]);
    const seen = await one.spans({ query: 'secret of two', mode: 'vector', limit: 200 });
    expect(JSON.stringify(seen)).not.toContain('secret of two');
  });

  it('follows corrections and deletions', async () => {
    const { api } = one.tenant;
    await one.record(...['a', 'b', 'c'].map((id) => ({ id: `x${id}`, trace: 'x', input: 'moving' })), {
      id: 'y',
      trace: 'y',
      input: 'moving',
    });
    await one.findsSoon('moving', ['xa', 'xb', 'xc', 'y']);
    await one.record({ id: 'xa', trace: 'x', input: 'standing' });
    await api.delete('/api/spans/xb');
    expect(await one.find('moving')).not.toContain('xb'); // At once, whatever the index knows.
    await one.findsSoon('moving', ['xc', 'y']);
    await one.findsSoon('standing', ['xa']);
    await api.delete('/api/traces/x');
    await one.findsSoon('moving', ['y']);
    await idle();
    const ids = (await lab.indexed(where.schema, one.projectId)).map(({ id }) => id);
    expect(ids.filter((id) => id.startsWith('x'))).toEqual([]);
  });

  it('shows nothing that the index should not hold, and puts that right', async () => {
    await one.record({ id: 'real', input: 'another text' });
    await idle();
    await lab.plant(where.schema, one.projectId, 'ghost', 't');
    await lab.plant(where.schema, one.projectId, 'real', 'other-trace');
    expect(await one.find('planted', { filters: { trace_id: 'other-trace' } })).toEqual([]);
    expect(await one.find('planted')).not.toContain('ghost');
    await until(async () => !(await lab.indexed(where.schema, one.projectId)).some(({ id }) => id === 'ghost'));
    await one.findsSoon('planted', []);
  });

  it('clears a project, and that one alone', async () => {
    await one.tenant.api.delete('/api/traces');
    expect(await one.find('refund')).toEqual([]);
    await one.record({ id: 'after', input: 'refund' });
    await one.findsSoon('refund', ['after']);
    await idle();
    expect((await lab.indexed(where.schema, one.projectId)).map(({ id }) => id)).toEqual(['after']);
    expect(await two.find('secret')).toEqual(['en']);
  });
});

describe('vectors', () => {
  it('need a connection, and are made for all spans once there is one', async () => {
    const answer = await two.search({ query: 'secret', mode: 'hybrid' });
    expect([answer.status, answer.body.code]).toEqual([501, 'search_not_available']);
    expect(answer.body.detail).toMatch(/connection named "embeddings".*search\.embedding\.connection/);
    expect(await two.find('secret')).toEqual(['en']);
    await two.connect(lab.embeddings.url, null);
    expect((await two.search({ query: 'secret', mode: 'vector' })).body.detail).toMatch(/default_model/);
    const connections = await two.tenant.api.get<{ connections: { id: string }[] }>('/api/provider-connections');
    const path = `/api/provider-connections/${connections.body.connections[0]!.id}`;
    await two.tenant.api.send('PUT', path, { default_model: 'embed-2' });
    await two.findsSoon('secret', ['en'], { mode: 'vector' });
  });

  it('come later when their endpoint is out of order; words are found at once', async () => {
    lab.embeddings.failWith = 500;
    await one.record({ id: 'later', input: 'reimbursement pending' });
    await one.findsSoon('pending', ['later']);
    const down = await one.search({ query: 'refund', mode: 'vector' });
    expect([down.status, down.body.code]).toEqual([503, 'unavailable']);
    expect(down.body.detail).toMatch(/HTTP 500/);
    expect(down.body.detail).not.toContain('sk-embed');
    lab.embeddings.failWith = undefined;
    // Whatever the pause is by now, and whether the worker itself is at it.
    await until(async () => {
      await app.app.get(SearchWorker).doDue(() => Date.now() + 3_600_000);
      return (await one.find('refund', { mode: 'vector', limit: 2 })).includes('later');
    });
  });

  it('are made of a part of what is long, and one that cannot be made holds up no other', async () => {
    await one.record(
      { id: 'long', input: 'long '.repeat(50_000), output: '🙂'.repeat(9_000) },
      { id: 'bad', input: 'poison mushroom' },
      ...Array.from({ length: 5 }, (_, at) => ({ id: `good-${at}`, input: `mushroom ${at}` })),
    );
    await one.findsSoon('mushroom', ['bad', ...Array.from({ length: 5 }, (_, at) => `good-${at}`)]);
    await idle();
    const indexed = new Map((await lab.indexed(where.schema, one.projectId)).map((row) => [row.id, row.has_vector]));
    expect(['long', 'bad', 'good-0', 'good-4'].map((id) => indexed.get(id))).toEqual([true, false, true, true]);
    expect(await metric(app, 'spandrel_search_refused_total{missing="vector"}')).toBe(1);
  });
});

/** The value of a metric now. */
async function metric({ url, settings }: CloudApp, sample: string): Promise<number> {
  const headers = { authorization: `Bearer ${settings.of(AccessSettings).adminToken}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${sample} `))
      ?.slice(sample.length),
  );
}

describe('the worker', () => {
  it('catches up when the index was away, and recording does not notice', async () => {
    const bring = await lab.takeIndexAway();
    try {
      await one.record({ id: 'meanwhile', input: 'meanwhile' });
      const answer = await one.search({ query: 'meanwhile' });
      expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
      expect(await backlog()).toBe(1);
    } finally {
      await bring();
    }
    await until(async () => (await one.search({ query: 'meanwhile' })).body.count === 1);
  });

  it('does the tasks of one that was killed, whatever it had done of them', async () => {
    await idle();
    // This is what a worker leaves that dies between the index and its own commit.
    await app.storage.write((tx) =>
      tx.run(
        sql`insert into search_task (project_id, kind, id, due_at, claim, texted)
          values (${one.projectId}, 0, 'meanwhile', ${Date.now() + 100_000}, 'of the dead', 0),
            (${one.projectId}, 0, 'never-there', ${Date.now() + 100_000}, 'of the dead', 0)`,
      ),
    );
    const worker = app.app.get(SearchWorker);
    await worker.doDue();
    expect(await backlog()).toBe(2);
    await worker.doDue(() => Date.now() + 130_000);
    expect(await backlog()).toBe(0);
    expect(await one.find('meanwhile')).toEqual(['meanwhile']);
  });

  it('hands over what was there before the index, in pieces, by any number of instances, each span once', async () => {
    const other = await lab.newDatabase();
    const before = await lab.start(other, (settings) => (settings.of(SearchSettings).index = null));
    const tenant = await before.createTenant();
    const old = new Searcher(tenant);
    const spans = Array.from({ length: 700 }, (_, at) => ({ id: `old-${at}`, input: `ancient ${at}` }));
    await old.record(...spans);
    await old.connect(lab.embeddings.url);
    const refused = await old.search({ query: 'ancient' });
    expect([refused.status, refused.body.code]).toEqual([501, 'search_not_available']);
    expect(refused.body.detail).toMatch(/search\.index/);
    await lab.stop(before);

    lab.embeddings.texts.length = 0;
    const bring = await lab.takeIndexAway();
    const first = await lab.start(other);
    // Noted, and not got further; then it ends.
    await until(async () => (await backlog(first)) > 0);
    expect(await metric(first, 'spandrel_search_tasks_waiting')).toBeGreaterThan(0);
    await lab.stop(first);
    await bring();
    const apps = await Promise.all([lab.start(other), lab.start(other)]);
    await until(async () => {
      if ((await backlog(apps[0])) > 0) return false;
      const left = await apps[0]!.storage.read(anyRows()`select 1 as one from search_state where after_id is not null`);
      return left.length === 0;
    });
    const api = apps[1]!.anonymous.as(tenant.key);
    // A task that one instance has in hand is no part of the backlog that another one saw.
    await until(async () => (await lab.indexed(other.schema, tenant.project.id)).length === 700, 20_000);
    const { body } = await api.post<{ count: number }>('/api/search', { query: 'ancient', limit: 200 });
    expect(body.count).toBe(200);
    // At least once each; the first batch twice at most, where the connection was seen for the first time.
    const times = lab.embeddings.texts.filter((text) => text.includes('ancient')).length;
    expect(times).toBeGreaterThanOrEqual(700);
    expect(times).toBeLessThan(900);
  });
});

describe('where there is no search', () => {
  it('local mode says what to configure', async () => {
    const local = await startServerApp(
      { dialect: 'sqlite', file: `${tempDir()}/spandrel.db` },
      // A search index is cloud mode's.
      { settings: (settings) => void (settings.of(SearchSettings).index = 'pgvector') },
    );
    try {
      const { status, body } = await local.api.post('/api/search', { query: 'anything' });
      expect([status, body.code]).toEqual([501, 'search_not_available']);
      expect(body.detail).toMatch(/cloud mode.*search\.index/);
      expect((await local.api.post('/api/search', { query: '' })).status).toBe(400);
    } finally {
      await local.close();
    }
  });

  it('a server does not start with an index that no plugin is', async () => {
    const { url } = await lab.newDatabase();
    const start = lab.start({ url, schema: 'none' }, (settings) => (settings.of(SearchSettings).index = 'elastic'));
    await expect(start).rejects.toThrow(/search\.index: .*"elastic" \(loaded: pgvector\)/);
  });
});
