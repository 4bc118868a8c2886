/** What a former run left in the spool directory is damaged in part: the rest is recorded, and nothing is lost unseen. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { recorded, startFakeApi, until, type FakeApi } from './support/fake-api.js';
import { keptCalls } from './support/spool-files.ts';
import { startGateway, type StartedGateway } from './support/start.js';

let upstream: FakeProvider;
let api: FakeApi;
let gateway: StartedGateway;
let spoolDir: string;

beforeEach(async () => {
  upstream = await startFakeProvider();
  api = await startFakeApi();
  spoolDir = mkdtempSync(join(tmpdir(), 'spandrel-damaged-'));
});
afterEach(async () => {
  await gateway.close();
  await api.close();
  await upstream.close();
  rmSync(spoolDir, { recursive: true, force: true });
});

const start = async (): Promise<void> => {
  gateway = await startGateway(upstream.url, { apiUrl: api.url, spoolDir, deliverMs: 300, shutdownMs: 300 });
};
const file = (): string => join(spoolDir, 'recordings.db');
const metrics = async (): Promise<Record<string, number>> => {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const samples = text.matchAll(/^spandrel_gateway_(spool_\w+|delivered_recordings_total) (\d+)$/gm);
  return Object.fromEntries([...samples].map(([, name, value]) => [name, Number(value)]));
};

/** Calls that the API does not get before the gateway stops. @returns their ids. */
async function leaveBehind(): Promise<string[]> {
  await start();
  api.mood = 'unavailable';
  for (const letter of ['a', 'b', 'c', 'd']) {
    const content = letter.repeat(20_000);
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
    });
    expect(answer.status).toBe(200);
    await answer.text();
  }
  await until(async () => (await metrics())['spool_items'] === 4);
  await gateway.close();
  api.mood = 'up';
  const left = keptCalls(spoolDir);
  expect(left).toHaveLength(4);
  return left;
}
const quarantine = (): string[] => readdirSync(join(spoolDir, 'quarantine'));
const expected = (delivered: number, quarantined: number): Record<string, number> => ({
  delivered_recordings_total: delivered,
  spool_bytes: 0,
  spool_errors_total: 0,
  spool_items: 0,
  spool_quarantine_files: quarantined,
  spool_quarantine_removed_total: 0,
  spool_quarantined_total: quarantined,
  spool_unreadable_files: 0,
});

it('a damaged file goes to quarantine, and all calls outside of the damage are recorded', async () => {
  const left = await leaveBehind();
  const bytes = readFileSync(file());
  // A page of the second call alone.
  const at = bytes.indexOf('b'.repeat(4_000));
  expect(at).toBeGreaterThan(0);
  writeFileSync(file(), bytes.fill(0xff, at - (at % 4_096), at - (at % 4_096) + 4_096));

  await start();
  const spans = await recorded(api, 3);
  expect(spans.map(({ id }) => id)).toEqual(left.filter((id) => id !== left[1]));
  expect(spans.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  await until(() => keptCalls(spoolDir).length === 0);
  expect(quarantine()).toEqual([expect.stringMatching(/^recordings-\d+\.db$/)]);
  expect(await metrics()).toEqual(expected(3, 1));
});

it('a file that is no database goes to quarantine, and calls are kept in a new one', async () => {
  writeFileSync(file(), 'no database'.repeat(1_000));
  await leaveBehind();
  expect(quarantine()).toHaveLength(1);
  await start();
  await recorded(api, 4);
  expect(await metrics()).toEqual({ ...expected(4, 0), spool_quarantine_files: 1 });
});
