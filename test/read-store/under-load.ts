/** What writes to a server while its read store fails, and whole answers to compare. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Api } from '../support/api.ts';
import type { Place } from '../support/places.ts';
import { tempDir, until } from '../support/spandrel.ts';

/** What is loaded and asked has a part of the machine, too. */
const BETWEEN_WRITES_MS = 20;
const HEADER = 'x-spandrel-read-store';

/** A file of settings with the store, and others. */
export function configWith(config: object, more: object = {}): string {
  const file = join(tempDir(), 'read-store.json');
  const plugins = [{ use: 'clickhouse', config }];
  writeFileSync(file, JSON.stringify({ plugins, read_store: { plugin: 'clickhouse' }, ...more }));
  return file;
}

/** Writes, corrects and deletes. @param go whether to go on. @throws where a write was not answered as it should. */
export async function write(api: Api, round: number, go: () => boolean = () => true): Promise<void> {
  for (let turn = 0; go(); turn++) {
    const trace = `t${round}-${turn % 7}`;
    const spans = Array.from({ length: 20 }, (_, at) => {
      const model = `model-${(turn + at) % 3}`;
      const started = Date.UTC(2026, 10, 20) + (turn * 20 + at) * 60_000;
      return {
        ...{ id: `${trace}-${(turn * 5 + at) % 60}`, trace_id: trace, name: `turn ${turn}` },
        kind: { type: 'llm_call', model, provider: 'openai', input_tokens: turn, output_tokens: at, cost: at / 1_000 },
        ...{ input: `Where is ${at}?`, output: `round ${round} turn ${turn}` },
        ...{ started_at: new Date(started).toISOString(), ended_at: new Date(started + at * 7).toISOString() },
        status: at % 9 === 8 ? { failed: { error: `It broke in turn ${turn}` } } : 'completed',
      };
    });
    const traces = [{ id: trace, user_id: `user-${turn % 5}`, session_id: `s${round}`, tags: [`tag-${turn % 2}`] }];
    expect((await api.post('/api/ingest', { traces, spans })).status).toBe(200);
    if (turn % 3 === 1) expect((await api.delete(`/api/spans/${spans[0]!.id}`)).status).toBe(200);
    if (turn % 11 === 10)
      expect([200, 404]).toContain((await api.delete(`/api/traces/t${round}-${(turn + 3) % 7}`)).status);
    await pause(BETWEEN_WRITES_MS);
  }
}

/** All pages of an answer, and who gave them: `null` for the store. */
export async function answered(
  api: Api,
  [path, body]: Question,
): Promise<{ pages: unknown[]; by: Set<string | null> }> {
  const [pages, by]: [unknown[], Set<string | null>] = [[], new Set()];
  for (let cursor = ''; ;) {
    const answer = await api.send<{ next_cursor?: string | null }>(body ? 'POST' : 'GET', `${path}${cursor}`, body);
    expect([path, answer.status]).toEqual([path, 200]);
    const { next_cursor: next, ...page } = answer.body;
    pages.push(page);
    by.add(answer.headers.get(HEADER));
    if (typeof next !== 'string') return { pages, by };
    cursor = `&cursor=${next}`;
  }
}
type Question = readonly [path: string, body?: object];

const query = (group_by: string[], more: object = {}): Question => ['/api/analytics/query', { group_by, ...more }];
const QUESTIONS: readonly Question[] = [
  ...['sort_by=name', 'sort_by=cost', 'text_contains=turn+1', 'model=model-1&status=failed', 'tag=tag-1'].map(
    (filter): Question => [`/api/spans?limit=500&view=full&${filter}`],
  ),
  ...['error_contains=broke', 'user_id=user-3', 'name_contains=TURN+2'].map((filter): Question => [
    `/api/count/spans?${filter}`,
  ]),
  ...['model=model-2', 'tokens_min=500&sort_by=tokens', 'name_contains=none'].map((filter): Question => [
    `/api/traces?limit=50&${filter}`,
  ]),
  ['/api/count/traces?cost_min=0.05'],
  query(['model', 'status'], { percentiles: true, bucket: 'day' }),
  query(['tag', 'user'], { order_by: 'tokens', top: 3 }),
  query(['name'], { filters: { session_id: 's1' }, order_by: 'error_rate' }),
  ['/api/analytics', { of: 'spans', split_by: 'user', group_by: 'day', percentiles: true }],
  ['/api/facets?of=model'],
];

/** Whole lists with texts, counts and sums. @param by who must give them, and is waited for; everybody may when left out. */
export async function answersOf(api: Api, by?: null): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const question of QUESTIONS) {
    let answer = await answered(api, question);
    const isBy = async () => (answer = await answered(api, question)).by.has(by!) && answer.by.size === 1;
    // On a busy machine the store may be late with one answer, and the database then gives it.
    if (by !== undefined) await until(isBy, 60_000, () => `${JSON.stringify(question)}: ${[...answer.by].join()}`);
    answers.push([question, answer.pages]);
  }
  return answers;
}

/** Waits until everything is loaded, and the store is asked again. */
export async function untilLoaded(place: Place, api: Api): Promise<void> {
  const waiting = async () => (await place.rows<{ n: number }>('select count(*) as n from read_store_change'))[0]!.n;
  await until(
    async () => Number(await waiting()) === 0,
    90_000,
    () => 'the store was not filled',
  );
  await until(async () => (await answered(api, ['/api/count/spans?status=completed'])).by.has(null), 40_000);
}
