import { describe, expect, it } from '@jest/globals';
import { PostgresBackend, type PostgresBackendParts } from './postgres-backend.js';

const lost = (): Error => new Error('Connection terminated unexpectedly');

/** A server whose connection breaks at COMMIT, and that answers the question for the transaction's fate as told. */
function backendWhose(fate: () => Promise<{ rows: unknown[] }>): PostgresBackend {
  const client = {
    query: async (text: string) => {
      if (text.startsWith('begin')) return [{}, { rows: [{ xid: '77' }] }];
      if (text === 'commit') throw lost();
      return { rows: [] };
    },
    release: () => undefined,
  };
  const pool = { connect: async () => client, query: fate };
  return new PostgresBackend({
    pool,
    makeManager: () => ({}),
    close: async () => undefined,
  } as unknown as PostgresBackendParts);
}

describe('a commit whose connection broke', () => {
  it('counts when the server says that it was done', async () => {
    const backend = backendWhose(async () => ({ rows: [{ status: 'committed' }] }));
    expect(await backend.transaction(async () => 'done')).toBe('done');
  });

  it('is lost when the server says so, or does not know its id any more', async () => {
    const future = Object.assign(new Error('transaction ID 77 is in the future'), { code: '22023' });
    for (const fate of [async () => ({ rows: [{ status: 'aborted' }] }), () => Promise.reject(future)]) {
      await expect(backendWhose(fate).transaction(async () => 'done')).rejects.toThrow('Connection terminated');
    }
  });
});
