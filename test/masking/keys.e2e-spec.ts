/** The keys of hashes: stored sealed, never shown, rotated, and missing (docs/spec/masking.md#the-key-of-hashes). */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { ConnectionsSettings, resealKeys, secretKeyOf } from '@spandrel/connections';
import type { MaskingPreview, MaskingResource, RecordingMasking, SpanResource } from '@spandrel/contract';
import { createLogger } from '@spandrel/kernel';
import { BegunHashes, Masking } from '@spandrel/masking/engine';
import { anyRows } from '../support/any-rows.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import { serveInProcess, testSettings, type ServerApp } from '../support/server-app.ts';
import { loadMaskers } from './all-maskers.ts';

const keyOf = (n: number): Buffer => Buffer.alloc(32, n);
const RULES = [{ masker: 'email', replace: 'hash' }];
const HASH = /^\[email:[a-p]{20}\]$/;
const VALUE = 'jane@planted.example';
const PATH = '/api/projects/local/masking';

describeOnBothDatabases('the key of hashes', ({ newDatabase }) => {
  let database: Awaited<ReturnType<typeof newDatabase>>;
  let server: ServerApp | undefined;
  let logged = '';

  const start = async (key: number): Promise<ServerApp> => {
    logged = '';
    server = await serveInProcess(testSettings(), database, {
      logger: createLogger('info', 'test', { write: (line) => void (logged += line) }),
      settings: (settings) => void (settings.of(ConnectionsSettings).secretKey = keyOf(key)),
    });
    return server;
  };
  /** What a server makes of a text that is recorded. */
  const stored = async ({ api }: ServerApp, input: string): Promise<unknown> => {
    const { body: trace } = await api.post<{ id: string }>('/api/traces', {});
    const { body: span } = await api.post<{ id: string }>('/api/spans', { trace_id: trace.id, name: 's', input });
    return (await api.get<SpanResource>(`/api/spans/${span.id}`)).body.input;
  };
  const recording = async ({ api }: ServerApp): Promise<RecordingMasking> =>
    (await api.get<RecordingMasking>('/api/masking')).body;
  const row = async ({ storage }: ServerApp) =>
    (
      await storage.read(
        anyRows<{
          keyId: string;
          sealedKey: string;
        }>()`select key_id as "keyId", sealed_key as "sealedKey" from masking_rules`,
      )
    )[0]!;
  let hash: unknown;

  beforeAll(async () => {
    database = await newDatabase('masking_keys');
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  afterAll(() => server?.close());

  it('is made when a rule first hashes, sealed, and shown to nobody', async () => {
    const app = await start(1);
    await app.api.send('PUT', PATH, { rules: [{ masker: 'email' }] });
    expect(await row(app)).toEqual({ keyId: '', sealedKey: '' });
    expect((await app.api.send<MaskingResource>('PUT', PATH, { rules: RULES })).status).toBe(200);
    hash = await stored(app, VALUE);
    expect(hash).toMatch(HASH);
    const { keyId, sealedKey } = await row(app);
    expect([keyId, Buffer.from(sealedKey, 'base64').length]).toEqual([secretKeyOf(keyOf(1)).id, 12 + 43 + 16]);
    // A gateway begins hashes by another key, and what it made becomes the same here.
    const { rules, hash_key: begin } = await recording(app);
    const hashes = new BegunHashes(Buffer.from(begin!, 'base64url'));
    const gateway = new Masking(rules, await loadMaskers(), { hashes, onFailure: () => undefined });
    const begun = gateway.text(VALUE, 'input');
    expect(begun).toMatch(/^\[email:[B-V]{20}\]$/);
    expect(await stored(app, begun)).toBe(hash);
    // Readers cannot have guesses hashed and compare.
    const preview = await app.api.post<MaskingPreview>(`${PATH}/preview`, { text: VALUE });
    expect(preview.body.text).toMatch(HASH);
    expect(preview.body.text).not.toBe(hash);
  });

  it('has a server that lacks the secret key put labels, and say so', async () => {
    const app = await start(2);
    expect(logged).toContain('and puts labels');
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toMatch(/^spandrel_unreadable_masking_keys 1$/m);
    expect(await stored(app, VALUE)).toBe('[email]');
    expect(await recording(app)).toMatchObject({ hash_key: null });
  });

  it('is sealed again by a rotation, and hashes as before', async () => {
    const first = await start(1);
    const sealed = await row(first);
    const keys = [keyOf(3), keyOf(1)].map(secretKeyOf);
    expect(await resealKeys(first.storage, keys)).toMatchObject({ maskingKeys: 1, unreadableMaskingKeys: [] });
    expect(await row(first)).not.toEqual(sealed);
    expect(await resealKeys(first.storage, [keyOf(9)].map(secretKeyOf))).toMatchObject({
      ...{ maskingKeys: 0, unreadableMaskingKeys: ['local'] },
    });
    await first.close();
    const app = await start(3);
    expect(await stored(app, VALUE)).toBe(hash);
  });

  it('that is lost is made again once no rule hashes any more', async () => {
    const app = await start(4);
    expect(await stored(app, VALUE)).toBe('[email]');
    for (const rules of [[], RULES]) expect((await app.api.send('PUT', PATH, { rules })).status).toBe(200);
    const again = await stored(app, VALUE);
    expect(again).toMatch(HASH);
    expect(again).not.toBe(hash);
  });
});
