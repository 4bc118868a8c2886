import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger, Unavailable } from '@spandrel/kernel';
import { Registry } from '@prometheus-io/client';
import type { Backend } from './backend.js';
import { integer, shapeOf } from './index.js';
import { StorageMetrics } from './storage-metrics.js';
import { Storage } from './storage.js';

describe('a database that is away', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('is waited for five seconds, also where the clock of the machine is set back meanwhile', async () => {
    let [tries, wall, steady] = [0, Date.now(), performance.now()];
    jest.spyOn(Date, 'now').mockImplementation(() => wall);
    jest.spyOn(performance, 'now').mockImplementation(() => steady);
    const read = async () => {
      [wall, steady] = [wall - 3_600_000, steady + 3_000];
      throw ++tries > 5 ? new Error('asked too often') : Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    };
    const backend = { dialect: 'postgres', read, state: () => ({}), size: async () => ({}) } as unknown as Backend;
    const parts = { metrics: new StorageMetrics(new Registry()), logger: createLogger('silent', 'test') };
    const storage = new Storage(backend, {} as ConstructorParameters<typeof Storage>[1], parts);
    await expect(storage.read(shapeOf({ one: integer() }).query`select 1 as one`)).rejects.toThrow(Unavailable);
    expect(tries).toBe(2);
  });
});
