/** What the gateway does with the masking rules of its callers' projects, and while it does not know them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadMaskers, ruleFor } from '../masking/all-maskers.ts';
import { startLeakyModel, type LeakyModel } from '../masking/leaky-model.ts';
import { credentialOf, recorded, startFakeApi, until, type FakeApi } from './support/fake-api.js';
import { keptCalls, spoolText } from './support/spool-files.ts';
import { startGateway, type StartedGateway } from './support/start.js';

const ASKED = 'I am jane@planted.example';
const ANSWERED = 'and I am john@planted.example.';
let api: FakeApi;
let model: LeakyModel;
let spoolDir: string;
let gateway: StartedGateway | undefined;

beforeEach(async () => {
  api = await startFakeApi();
  model = await startLeakyModel(ANSWERED);
  spoolDir = mkdtempSync(join(tmpdir(), 'spandrel-masked-spool-'));
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  await api.close();
  model.close();
  rmSync(spoolDir, { recursive: true, force: true });
});

const start = async (cloud = false): Promise<void> => {
  const mode = cloud ? { mode: 'cloud' as const, apiKey: 'own' } : {};
  gateway = await startGateway(
    model.url,
    { apiUrl: api.url, spoolDir, flushMs: 5, shutdownMs: 1_500, ...mode },
    { maskers: await loadMaskers() },
  );
};
const chat = async (headers: Record<string, string> = {}, stream = false): Promise<Response> =>
  fetch(`${gateway!.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-spandrel-user-id': 'jane@planted.example', ...headers },
    body: JSON.stringify({ model: 'gpt-4o', stream, messages: [{ role: 'user', content: ASKED }] }),
  });
const spooled = (): string => spoolText(spoolDir);

describe('the gateway and masking rules', () => {
  it('spools masked recordings alone, and hands the call on as it is', async () => {
    api.masking = { rules: [ruleFor('email')], hash_key: null };
    await start();
    // It has asked for the rules when a recording is masked by them.
    await (await chat()).text();
    await recorded(api, 1, 10_000);
    api.mood = 'unavailable';
    const streaming = await chat({ 'x-wait': '1' }, true);
    await until(() => keptCalls(spoolDir).length > 0);
    expect(spooled()).not.toContain('@planted');
    model.goOn();
    await streaming.text();
    expect(await (await chat()).text()).toContain(`You said ${ASKED}. ${ANSWERED}`);
    await until(() => spooled().includes('I am [email]'));
    expect(spooled()).not.toContain('@planted');
    api.mood = 'up';
    const spans = await recorded(api, 3, 10_000);
    expect(spans.map(({ output }) => output?.text)).toEqual(Array(3).fill('You said I am [email]. and I am [email].'));
    expect([...api.traces.values()].map((trace) => trace['user_id'])).toEqual(Array(3).fill('[email]'));
    expect(api.bodies.join()).not.toContain('@planted');
  });

  it('keeps nothing that was said on disk while it does not know the rules, and masks it once it does', async () => {
    api.mood = 'unavailable';
    api.masking = { rules: [ruleFor('email')], hash_key: null };
    await start();
    await (await chat()).text();
    await until(() => keptCalls(spoolDir).length > 0);
    expect(spooled()).not.toMatch(/planted|I am/);
    api.mood = 'up';
    const [span] = await recorded(api, 1, 10_000);
    expect(span!.output!.text).toBe('You said I am [email]. and I am [email].');
    expect(api.bodies.join()).not.toContain('@planted');
  });

  it('stops without having known the rules: the call is kept, and nothing of what was said', async () => {
    api.mood = 'unavailable';
    await start();
    await (await chat()).text();
    await gateway!.close();
    expect(spooled()).toContain('gpt-4o');
    expect(spooled()).not.toMatch(/planted|I am/);
    api.mood = 'up';
    await start();
    const [span] = await recorded(api, 1, 10_000);
    expect(span).toMatchObject({ name: 'gpt-4o', status: 'completed', kind: { output_tokens: 7 } });
    expect(span!.input ?? null).toBeNull();
  });

  it('masks each caller by the rules of its own project', async () => {
    api.keys = new Map([['mine', credentialOf({})]]);
    api.masking = { rules: [ruleFor('email', { fields: ['output'] })], hash_key: null };
    await start(true);
    await (await chat({ 'x-spandrel-key': 'mine' })).text();
    const [span] = await recorded(api, 1, 10_000);
    expect(JSON.stringify(span!.input)).toContain(ASKED);
    expect(span!.output!.text).toBe('You said I am [email]. and I am [email].');
  });
});
