import { describe, expect, it } from '@jest/globals';
import type { Api } from '../api/client.js';
import { ciMetadata } from './ci-metadata.js';
import { findBaseline } from './start-run.js';

/** @param runs newest first, as the server lists them. */
function apiWith(runs: { id: string; dataset_id: string }[]) {
  const asked: unknown[] = [];
  const api = {
    listEvals({ query }: { query: { limit: number } }) {
      asked.push(query);
      return Promise.resolve({ runs: runs.slice(0, query.limit) });
    },
    getEval: ({ path }: { path: { id: string } }) => Promise.resolve(runs.find(({ id }) => id === path.id)),
  } as unknown as Api;
  return { api, asked };
}

const RUNS = ['c', 'b', 'a'].map((id) => ({ id, dataset_id: 'd' }));

describe('findBaseline', () => {
  it('takes the newest completed run with the metadata, never the one that is compared', async () => {
    const { api, asked } = apiWith(RUNS);
    expect(await findBaseline(api, 'd', 'latest')).toBe('c');
    expect(await findBaseline(api, 'd', 'latest:branch=main, env=ci', { except: 'c' })).toBe('b');
    expect(asked).toEqual([
      { status: 'completed', limit: 2, metadata: {} },
      { status: 'completed', limit: 2, metadata: { branch: 'main', env: 'ci' } },
    ]);
    expect(await findBaseline(apiWith([]).api, 'd', 'latest')).toBeUndefined();
  });

  it('takes a run by its id, unless it is of another dataset', async () => {
    const { api } = apiWith(RUNS);
    expect(await findBaseline(api, 'd', ' a ')).toBe('a');
    await expect(findBaseline(api, 'other', 'a')).rejects.toThrow('baseline: run a is of another dataset, d');
  });

  it.each(['latest:main', 'latest:', 'latest:=main', 'latest:a=1,'])('refuses %s', async (text) => {
    await expect(findBaseline(apiWith(RUNS).api, 'd', text)).rejects.toThrow(`baseline "${text}": `);
  });
});

describe('ciMetadata', () => {
  it.each([
    [
      { GITHUB_SHA: 'abc', GITHUB_REF_NAME: '7/merge', GITHUB_HEAD_REF: 'fix' },
      { commit: 'abc', branch: 'fix' },
    ],
    [
      { GITHUB_SHA: 'abc', GITHUB_REF_NAME: 'main', GITHUB_HEAD_REF: '' },
      { commit: 'abc', branch: 'main' },
    ],
    [
      { CI_COMMIT_SHA: 'abc', CI_COMMIT_REF_NAME: 'main' },
      { commit: 'abc', branch: 'main' },
    ],
    [
      { BUILD_SOURCEVERSION: 'abc', SYSTEM_PULLREQUEST_SOURCEBRANCH: 'refs/heads/a/b' },
      { commit: 'abc', branch: 'a/b' },
    ],
    [{ HOME: '/root' }, {}],
  ])('reads %j', (environment, metadata) => {
    expect(ciMetadata(environment)).toEqual(metadata);
  });
});
