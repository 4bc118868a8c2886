/** What a former run left in the spool directory is damaged in part: the rest is recorded, and nothing is lost unseen. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { recorded, startFakeApi, until, type FakeApi } from './support/fake-api.js';
import { FrameType } from '../../apps/gateway/src/spool/journal-frames.js';
import { framesOf, journalFiles, keptCalls } from './support/journal.ts';
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
const metrics = async (): Promise<Record<string, number>> => {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const samples = text.matchAll(/^spandrel_gateway_(spool_\w+|delivered_recordings_total) (\d+)$/gm);
  return Object.fromEntries([...samples].map(([, name, value]) => [name, Number(value)]));
};

/** Calls that the API does not learn of before the gateway stops. @returns their ids. */
async function leaveBehind(): Promise<string[]> {
  await start();
  api.mood = 'unavailable';
  for (const content of ['a', 'b', 'c', 'd']) {
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
const quarantine = (): string[] => readdirSync(join(spoolDir, 'quarantine')).sort();
const expected = (quarantined: number): Record<string, number> => ({
  delivered_recordings_total: 3,
  spool_bytes: 0,
  spool_errors_total: 0,
  spool_items: 0,
  spool_quarantine_files: quarantined,
  spool_quarantine_removed_total: 0,
  spool_quarantined_total: quarantined,
  spool_unreadable_files: 0,
});

it('a damaged part of the journal goes to quarantine with its file, all other calls are recorded', async () => {
  const left = await leaveBehind();
  const [file] = journalFiles(spoolDir);
  const { start: at } = framesOf(file!).find(({ id, type }) => id === left[0] && type === FrameType.Facts)!;
  const bytes = readFileSync(file!);
  writeFileSync(file!, bytes.fill(0x55, at, at + 60));
  appendFileSync(file!, 'more than was written');
  const damaged = readFileSync(file!);

  await start();
  const spans = await recorded(api, 3);
  expect(spans.map(({ id }) => id)).toEqual(left.slice(1));
  expect(spans.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  await until(() => journalFiles(spoolDir).length === 0);
  expect(quarantine()).toEqual([basename(file!)]);
  expect(readFileSync(join(spoolDir, 'quarantine', basename(file!)))).toEqual(damaged);
  expect(await metrics()).toEqual(expected(1));
});
