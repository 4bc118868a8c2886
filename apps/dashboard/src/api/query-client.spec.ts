import { describe, expect, it } from '@jest/globals';
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
});
