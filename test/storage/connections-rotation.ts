import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { resealKeys, rotateKeyFile, secretKeyOf } from '@spandrel/connections';
import { createLogger, type Scope } from '@spandrel/kernel';
import { rawSql, sql, type Storage, type WriteTx } from '@spandrel/storage';
import { ConnectionsApp, type AppOptions } from './connections-app.js';
import { anyRows } from '../support/any-rows.ts';

const logger = createLogger('silent', 'test');
const KEYS = Array.from({ length: 6 }, (_, n) => `sk-rotated-${n}-0123456789`);
/** Connections of several projects. */
const scopeOf = (n: number): Scope => ({ orgId: 'org', projectId: `project-${n % 3}` });

export function connectionRotation(storage: () => Storage): void {
  describe('a rotation', () => {
    let dataDir: string;
    let ids: string[];

    beforeEach(async () => {
      dataDir = mkdtempSync(join(tmpdir(), 'spandrel-rotation-'));
      for (const table of ['provider_connection', 'sealed_text'])
        await storage().write((tx) => tx.run(sql`delete from ${rawSql(table)}`));
      ids = [];
    });

    afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

    const withApp = async <T>(options: AppOptions, work: (app: ConnectionsApp) => Promise<T>): Promise<T> => {
      const app = await ConnectionsApp.on(storage(), options);
      try {
        return await work(app);
      } finally {
        await app.close();
      }
    };
    const fill = (options: AppOptions): Promise<void> =>
      withApp(options, async (app) => {
        for (const [n, apiKey] of KEYS.entries()) {
          ids.push((await app.create({ name: `n${n}`, api_key: apiKey }, scopeOf(n).projectId)).id);
        }
      });
    /** What a server that starts now can read of them, in order; the reason where it cannot. */
    const readable = (options: AppOptions): Promise<string[]> =>
      withApp(options, (app) =>
        Promise.all(
          ids.map((id, n) =>
            app.connections.open(scopeOf(n), id).then(
              ({ target }) => target.apiKey,
              (error: Error) => error.message,
            ),
          ),
        ),
      );
    const keyFile = (): string[] => readFileSync(join(dataDir, 'secret.key'), 'utf8').trim().split('\n');
    const rows = (): Promise<{ keyId: string; sealedKey: string; updatedAt: number }[]> =>
      storage().read(
        anyRows<{
          keyId: string;
          sealedKey: string;
          updatedAt: number;
        }>()`select key_id as "keyId", sealed_key as "sealedKey", updated_at as "updatedAt" from provider_connection order by id`,
      );

    it('of the key file leaves everything readable, under a new key, and the old one nowhere', async () => {
      const local = { secretKey: null, dataDir };
      await fill(local);
      const [oldKey] = keyFile();
      const before = await rows();
      const texts = (app: ConnectionsApp) => storage().write((tx) => app.texts.put(tx, scopeOf(0), 'hook', 'whsec_1'));
      await withApp(local, texts);
      expect(await rotateKeyFile(storage(), dataDir, logger)).toEqual({
        rotated: KEYS.length,
        unreadable: [],
        texts: 1,
        unreadableTexts: [],
        maskingKeys: 0,
        unreadableMaskingKeys: [],
      });
      expect(keyFile()).toHaveLength(1);
      expect(keyFile()).not.toContain(oldKey);
      const after = await rows();
      for (const [n, row] of after.entries()) {
        expect(row.keyId).not.toBe(before[n]!.keyId);
        expect(row.sealedKey).not.toBe(before[n]!.sealedKey);
        expect(row.updatedAt).toBe(before[n]!.updatedAt);
      }
      expect(new Set(after.map(({ keyId }) => keyId)).size).toBe(1);
      expect(await readable(local)).toEqual(KEYS);
      expect(await withApp(local, (app) => app.texts.find(scopeOf(0), 'hook'))).toBe('whsec_1');
    });

    it('that breaks off at any step leaves everything readable, and can be repeated', async () => {
      const local = { secretKey: null, dataDir };
      await fill(local);
      const path = join(dataDir, 'secret.key');
      const old = readFileSync(path, 'utf8');
      const oldRows = await rows();
      await expect(rotateKeyFile(failingAtCommit(storage(), 1), dataDir, logger)).rejects.toThrow('killed');
      // The new key is in the file, the rows are as they were.
      expect(keyFile()).toHaveLength(2);
      expect(keyFile()[1]).toBe(old.trim());
      expect(await rows()).toEqual(oldRows);
      expect(await readable(local)).toEqual(KEYS);
      // What a server writes in between is sealed with the new key.
      ids.push(
        await withApp(
          local,
          async (app) => (await app.create({ api_key: 'sk-between-1' }, scopeOf(ids.length).projectId)).id,
        ),
      );
      // All rows are sealed again, the old keys are still in the file.
      await expect(rotateKeyFile(failingAtCommit(storage(), 2), dataDir, logger)).rejects.toThrow('killed');
      expect(keyFile()).toHaveLength(3);
      expect(await readable(local)).toEqual([...KEYS, 'sk-between-1']);
      // A draft of the file was left behind.
      writeFileSync(`${path}.new`, 'half');
      expect(await readable(local)).toEqual([...KEYS, 'sk-between-1']);
      expect(await rotateKeyFile(storage(), dataDir, logger)).toEqual({
        rotated: KEYS.length + 1,
        unreadable: [],
        texts: 0,
        unreadableTexts: [],
        maskingKeys: 0,
        unreadableMaskingKeys: [],
      });
      expect(keyFile()).toHaveLength(1);
      expect(await readable(local)).toEqual([...KEYS, 'sk-between-1']);
    });

    it('lists what it cannot decrypt, leaves it, and keeps a key that is still named', async () => {
      const local = { secretKey: null, dataDir };
      await fill(local);
      const [oldKey] = keyFile();
      const update = (id: string, sealed: string, keyId: string) =>
        storage().write((tx) =>
          tx.run(sql`update provider_connection set sealed_key = ${sealed}, key_id = ${keyId} where id = ${id}`),
        );
      const [row] = await rows();
      await update(ids[1]!, row!.sealedKey, row!.keyId);
      await update(ids[4]!, row!.sealedKey, 'feedfeedfeedfeed');
      const { rotated, unreadable } = await rotateKeyFile(storage(), dataDir, logger);
      expect(rotated).toBe(KEYS.length - 2);
      expect(unreadable).toEqual([1, 4].map((n) => ({ projectId: scopeOf(n).projectId, id: ids[n] })));
      expect((await rows()).filter(({ sealedKey }) => sealedKey === row!.sealedKey)).toHaveLength(2);
      expect(keyFile().slice(1)).toEqual([oldKey]);
      const after = await readable(local);
      for (const n of [0, 2, 3, 5]) expect(after[n]).toBe(KEYS[n]);
      for (const n of [1, 4]) expect(after[n]).toContain('cannot be decrypted');
    });

    it('of given keys opens everything with the new one alone, and may be repeated', async () => {
      const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
      await fill({ secretKey: oldKey });
      const keys = [secretKeyOf(newKey), secretKeyOf(oldKey)];
      for (let time = 0; time < 2; time++) {
        expect(await resealKeys(storage(), keys)).toEqual({
          rotated: KEYS.length,
          unreadable: [],
          texts: 0,
          unreadableTexts: [],
          maskingKeys: 0,
          unreadableMaskingKeys: [],
        });
      }
      expect(await readable({ secretKey: newKey })).toEqual(KEYS);
      for (const message of await readable({ secretKey: oldKey })) expect(message).toContain('SPANDREL_SECRET_KEY');
    });

    it('of given keys that breaks off changes nothing', async () => {
      const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
      await fill({ secretKey: oldKey });
      const keys = [secretKeyOf(newKey), secretKeyOf(oldKey)];
      await expect(resealKeys(failingAtCommit(storage(), 1), keys)).rejects.toThrow('killed');
      expect(await readable({ secretKey: oldKey })).toEqual(KEYS);
    });
  });
}

/** A storage whose nth transaction does all its work and is lost at the commit. */
function failingAtCommit(storage: Storage, nth: number): Storage {
  let count = 0;
  const write = <T>(work: (tx: WriteTx) => Promise<T>): Promise<T> =>
    storage.write(async (tx) => {
      const result = await work(tx);
      if (++count === nth) throw new Error('killed');
      return result;
    });
  return Object.assign(Object.create(storage) as Storage, { write });
}
