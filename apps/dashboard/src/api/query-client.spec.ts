import { describe, expect, it } from '@jest/globals';
import { QueryObserver } from '@tanstack/react-query';
import { DashboardQueryClient } from './query-client.js';

describe('DashboardQueryClient', () => {
  it.each([{}, { refetchType: 'none' as const }])('knows an answer as old that came late (%j)', async (filters) => {
    const client = new DashboardQueryClient();
    const { promise, resolve } = Promise.withResolvers<string>();
    let asked = 0;
    const which = { queryKey: ['one'], queryFn: () => (asked++ === 0 ? promise : 'new') };
    const first = client.fetchQuery(which);
    const invalidated = client.invalidateQueries({ queryKey: ['one'], ...filters });
    resolve('old');
    expect(await first).toBe('old');
    await invalidated;
    expect([asked, await client.fetchQuery(which), asked]).toEqual([1, 'new', 2]);
    client.clear();
  });

  it('waits for an answer that is not to be given up, and reads again then', async () => {
    const client = new DashboardQueryClient();
    const { promise, resolve } = Promise.withResolvers<string>();
    const signals: AbortSignal[] = [];
    const queryFn = ({ signal }: { signal: AbortSignal }) => (signals.push(signal) === 1 ? promise : 'new');
    const unsubscribe = new QueryObserver(client, { queryKey: ['one'], queryFn, initialData: 'first' }).subscribe(
      () => 0,
    );
    const which = { queryKey: ['one'] };
    const invalidated = [client.invalidateQueries(which), client.invalidateQueries(which, { cancelRefetch: false })];
    resolve('old');
    await Promise.all(invalidated);
    expect([client.getQueryData(['one']), signals.map(({ aborted }) => aborted)]).toEqual(['new', [false, false]]);
    unsubscribe();
    client.clear();
  });
});
