/** The chains of the audit log, on both databases (docs/spec/audit.md#the-chain). */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditFeature, auditCommands, AuditTrail, type ChainHead, type CheckedChain } from '@spandrel/audit';
import { createLogger, newId } from '@spandrel/kernel';
import { openStorage, rawSql, sql, type Sql, type Storage, type StorageConfig } from '@spandrel/storage';
import { describeOnBothDatabases } from '../support/databases.ts';

const open = (config: StorageConfig): Promise<Storage> =>
  openStorage(config, { entities: auditFeature.entities as never, logger: createLogger('silent', 'test') });

const trail = new AuditTrail({ mode: 'cloud' });

/** Records an act a transaction, in each of the chains. */
async function record(storage: Storage, orgIds: readonly (string | null)[], times = 1): Promise<void> {
  for (let n = 0; n < times; n++) {
    await storage.write(async (tx) => {
      for (const orgId of orgIds) {
        trail.record(tx, { action: 'key.created', orgId, targetId: newId(), targetName: 'ümläut\0', details: { n } });
      }
    });
  }
}

async function verify(storage: Storage, only?: string, noted: readonly ChainHead[] = []): Promise<CheckedChain[]> {
  const checked: CheckedChain[] = [];
  for await (const chain of auditCommands(storage).verify.execute(only, noted)) checked.push(chain);
  return checked;
}

/** What is wrong with a chain, in short: `seq kind`. */
const faultsOf = async (storage: Storage, chain: string, noted: readonly ChainHead[] = []): Promise<string[]> =>
  (await verify(storage, chain, noted)).flatMap(({ faults }) => faults.map(({ seq, kind }) => `${seq} ${kind}`));

describeOnBothDatabases('the chains of the audit log', ({ name, newDatabase }) => {
  let storage: Storage;
  let config: StorageConfig;
  beforeAll(async () => {
    config = await newDatabase('chains');
    storage = await open(config);
  });
  afterAll(() => storage?.close());

  const run = (statement: Sql): Promise<number> => storage.write((tx) => tx.run(statement));

  it('have an entry for each act that was committed, and none for others', async () => {
    await record(storage, ['whole', null], 3);
    const lost = storage.write(async (tx) => {
      trail.record(tx, { action: 'key.created', orgId: 'whole', targetId: 'lost' });
      throw new Error('given up');
    });
    await expect(lost).rejects.toThrow('given up');
    expect(await verify(storage)).toEqual([
      { chain: 'service', entries: 3, head: { seq: 3, hash: expect.any(String) }, faults: [] },
      { chain: 'whole', entries: 3, head: { seq: 3, hash: expect.any(String) }, faults: [] },
    ]);
  });

  it('are not kept in local mode', async () => {
    const local = new AuditTrail({ mode: 'local' });
    await storage.write(async (tx) => local.record(tx, { action: 'key.created', orgId: 'local', targetId: 'x' }));
    await local.recordAlone(storage, { action: 'key.created', orgId: 'local', targetId: 'x' });
    expect(await verify(storage, 'local')).toEqual([]);
  });

  describe('show', () => {
    const where = (chain: string, seq: number): Sql => sql`chain = ${chain} and seq = ${seq}`;

    it.each(['action', 'actor', 'target_id', 'target_name', 'details', 'address', 'project_id', 'org_id', 'hash'])(
      'an entry whose %s was changed',
      async (column) => {
        const chain = `changed ${column}`;
        await record(storage, [chain], 4);
        await run(sql`update audit_log set ${rawSql(column)} = 'other' where ${where(chain, 2)}`);
        const found = await faultsOf(storage, chain);
        // The hash is what the next one follows.
        expect(found).toEqual(column === 'hash' ? ['2 changed', '3 displaced'] : ['2 changed']);
      },
    );

    it('entries that were removed, first, in the middle, and last', async () => {
      await record(storage, ['removed'], 8);
      for (const seq of [1, 4, 5, 8]) await run(sql`delete from audit_log where ${where('removed', seq)}`);
      expect(await faultsOf(storage, 'removed')).toEqual(['1 missing', '4 missing', '8 missing']);
    });

    it('entries that were put elsewhere', async () => {
      await record(storage, ['moved'], 4);
      await run(sql`update audit_log set seq = 99 where ${where('moved', 2)}`);
      await run(sql`update audit_log set seq = 2 where ${where('moved', 3)}`);
      await run(sql`update audit_log set seq = 3 where ${where('moved', 99)}`);
      expect(await faultsOf(storage, 'moved')).toEqual(['2 changed', '3 changed', '4 displaced']);
    });

    it('an entry that was put in, with and without a place in the chain', async () => {
      await record(storage, ['added'], 2);
      const copy = (id: string, chain: string | null, seq: number | null): Sql =>
        sql`insert into audit_log (id, at, org_id, actor, action, target_id, details, chain, seq, prev_hash, hash)
          select ${id}, at, org_id, actor, action, target_id, details, ${chain}, ${seq}, prev_hash, hash
          from audit_log where ${where('added', 2)}`;
      await run(copy('added-3', 'added', 3));
      await run(copy('added-none', 'added', null));
      expect(await faultsOf(storage, 'added')).toEqual(['3 changed', '3 displaced', 'null unchained']);
      await run(copy('outside', null, null));
      const outside = (await verify(storage)).filter(({ chain }) => chain === 'none');
      expect(outside).toMatchObject([{ entries: 1, head: null, faults: [{ id: 'outside', kind: 'unchained' }] }]);
    });

    it('an end that was cut off, where the head was noted elsewhere even if all was written again', async () => {
      await record(storage, ['cut'], 5);
      const noted = (await auditCommands(storage).chains.heads()).filter(({ chain }) => chain === 'cut');
      expect(await faultsOf(storage, 'cut', noted)).toEqual([]);
      await run(sql`delete from audit_log where chain = 'cut' and seq > 3`);
      expect(await faultsOf(storage, 'cut')).toEqual(['4 missing']);
      await run(
        sql`update audit_chain set seq = 3, hash = (select hash from audit_log where ${where('cut', 3)})
          where chain = 'cut'`,
      );
      expect(await faultsOf(storage, 'cut')).toEqual([]);
      expect(await faultsOf(storage, 'cut', noted)).toEqual(['5 missing']);
      await record(storage, ['cut'], 2);
      expect(await faultsOf(storage, 'cut')).toEqual([]);
      expect(await faultsOf(storage, 'cut', noted)).toEqual(['5 rewritten']);
    });
  });

  // SQLite has one server.
  if (name === 'Postgres') {
    it('stay whole and hold nobody up for good when several servers write them, whatever the order in which acts are reported', async () => {
      const config = await newDatabase('servers');
      const servers = await Promise.all([0, 1, 2].map(() => open(config)));
      const orgs = ['a', 'b', 'c', null];
      const orders = [orgs, orgs.toReversed(), ['c', null, 'a', 'b']];
      await Promise.all(
        Array.from({ length: 12 }, (_, n) => record(servers[n % 3]!, orders[n % orders.length]!.slice(n % 2), 15)),
      );
      const checked = await verify(servers[0]!);
      expect(checked.flatMap(({ faults }) => faults)).toEqual([]);
      expect(checked.reduce((sum, { entries }) => sum + entries, 0)).toBe(12 * 15 * 3.5);
      await Promise.all(servers.map((server) => server.close()));
    });
  }
});
