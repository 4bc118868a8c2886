/** What a former run left in the spool directory is damaged in part: the rest is recorded, and nothing is lost unseen. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { recorded, startFakeApi, until, type FakeApi } from './support/fake-api.js';
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
const files = (): string[] => readdirSync(spoolDir).filter((name) => name.endsWith('.call'));
const change = (name: string, by: (bytes: Buffer) => Buffer): void => {
  const file = join(spoolDir, name);
  writeFileSync(file, by(readFileSync(file)));
};
const metrics = async (): Promise<Record<string, number>> => {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const samples = text.matchAll(/^spandrel_gateway_(spool_\w+|delivered_recordings_total) (\d+)$/gm);
  return Object.fromEntries([...samples].map(([, name, value]) => [name, Number(value)]));
};

it('damaged files go to quarantine, all others are recorded', async () => {
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
  const left = files().sort();
  expect(left).toHaveLength(4);
  change(left[0]!, (bytes) => bytes.fill(0x55, 0, 40));
  change(left[1]!, (bytes) => Buffer.concat([bytes, Buffer.from('more than was written')]));
  const damaged = readFileSync(join(spoolDir, left[0]!));

  api.mood = 'up';
  await start();
  const spans = await recorded(api, 3);
  expect(spans.map(({ id }) => `${id}.call`)).toEqual(left.slice(1));
  expect(spans.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  await until(() => files().length === 0);
  const quarantine = join(spoolDir, 'quarantine');
  expect(existsSync(quarantine) && readdirSync(quarantine).sort()).toEqual(left.slice(0, 2));
  expect(readFileSync(join(quarantine, left[0]!))).toEqual(damaged);
  expect(await metrics()).toEqual({
    delivered_recordings_total: 3,
    spool_bytes: 0,
    spool_errors_total: 0,
    spool_items: 0,
    spool_quarantine_files: 2,
    spool_quarantine_removed_total: 0,
    spool_quarantined_total: 2,
    spool_unreadable_files: 0,
  });
});
