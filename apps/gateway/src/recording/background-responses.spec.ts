import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, type Clock } from '@spandrel/kernel';
import { CallerKey, keyDigest } from '../access/caller-key.js';
import { parseBase, type Base } from '../target/provider-table.js';
import { BackgroundResponses, responseKey, type AwaitedResponse } from './background-responses.js';

const DAY_MS = 24 * 3_600_000;
const logger = createLogger('silent', 'test');

let folder: string;
let now: number;
const clock: Clock = { now: () => now };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandrel-responses-'));
  now = 1_000_000;
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (directory: string | null = folder): Promise<BackgroundResponses> =>
  BackgroundResponses.open(directory, clock, logger);
const file = (): string => join(folder, 'background-responses.jsonl');
const response = (spanId: string): AwaitedResponse => ({
  spanId,
  traceId: 'trace',
  startedAt: 1,
  name: 'gpt',
  provider: 'openai',
  model: 'gpt',
  capture: { mode: 'full' },
});

describe('responses that go on behind their call', () => {
  it.each([null, 'on disk'])('are known until their end, once (%s)', async (where) => {
    const responses = await open(where && folder);
    responses.add('a', response('1'));
    expect([responses.find('a'), responses.find('b')]).toEqual([response('1'), undefined]);
    expect([responses.complete('a'), responses.complete('a'), responses.find('a')]).toEqual([true, false, undefined]);
    await responses.close();
  });

  it('are known behind a restart, and need no file without one', async () => {
    const first = await open();
    expect(existsSync(file())).toBe(false);
    for (const key of ['a', 'b', 'c']) first.add(key, response(key));
    first.complete('b');
    await first.close();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    appendFileSync(file(), '{"key":"c"\nnull\n{"key":"d","at":1,"response":{"spanId":7}}\n{"key":"e","at"');
    const second = await open();
    expect(['a', 'b', 'c', 'd'].map((key) => second.find(key)?.spanId)).toEqual(['a', undefined, 'c', undefined]);
    await second.close();
    expect(readFileSync(file(), 'utf8').split('\n')).toHaveLength(3);
  });

  it('are forgotten after a week', async () => {
    const first = await open();
    first.add('a', response('1'));
    now += 8 * DAY_MS;
    expect(first.find('a')).toBeUndefined();
    first.add('b', response('2'));
    await first.close();
    const second = await open();
    expect([second.complete('a'), second.complete('b')]).toEqual([false, true]);
    await second.close();
  });

  it('are at most 10,000, the latest, and the file stays as small', async () => {
    const responses = await open();
    for (let n = 0; n < 10_050; n++) responses.add(`key ${n}`, response('1'));
    for (let n = 40; n < 10_040; n++) responses.complete(`key ${n}`);
    expect([responses.complete('key 49'), responses.complete('key 10049')]).toEqual([false, true]);
    await responses.close();
    expect(readFileSync(file(), 'utf8').split('\n').length).toBeLessThan(10_100);
  });

  it('are known in memory where the disk does not take them', async () => {
    const responses = await open(join(folder, 'missing'));
    responses.add('a', response('1'));
    await responses.close();
    expect(responses.find('a')).toEqual(response('1'));
  });

  it('have names by caller, base and id', () => {
    const base = (url: string): Base => parseBase(url, false) as Base;
    const caller = new CallerKey(keyDigest('key'), null);
    const names = [
      responseKey(null, base('https://a.example'), 'id'),
      responseKey(caller, base('https://a.example'), 'id'),
      responseKey(null, base('https://b.example'), 'id'),
      responseKey(null, base('https://a.example/x'), 'id'),
      responseKey(null, base('https://a.example'), 'other'),
    ];
    expect(new Set(names).size).toBe(names.length);
  });
});
