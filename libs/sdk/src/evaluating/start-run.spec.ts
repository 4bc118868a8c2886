import { describe, expect, it } from '@jest/globals';
import type { Api } from '../api/client.js';
import { ciMetadata } from './ci-metadata.js';
import { explainMissingBaseline, findBaseline } from './start-run.js';

/** @param runs newest first, as the server lists them. */
function apiWith(runs: { id: string; dataset_id: string; metadata?: Record<string, string> }[]) {
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
  it('takes the newest completed run with the metadata; which can be compared with a run the server knows', async () => {
    const { api, asked } = apiWith(RUNS);
    expect(await findBaseline(api, 'd', 'latest')).toBe('c');
    expect(await findBaseline(api, 'd', 'latest:branch=main, env=ci', { except: 'c' })).toBe('c');
    expect(asked).toEqual([
      { status: 'completed', limit: 1, metadata: {} },
      { status: 'completed', limit: 1, metadata: { branch: 'main', env: 'ci' }, baseline_for: 'c' },
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

describe('explainMissingBaseline', () => {
  const runs = ['main', 'main', 'maine-2', 'release'].map((branch, at) => ({
    ...{ id: `${at}`, dataset_id: 'd', metadata: { branch, env: 'ci' } },
  }));
  const explain = (text: string, of = runs) => explainMissingBaseline(apiWith(of).api, 'd', text, { except: '3' });

  it.each([
    ['latest:branch=mian', 'no run has branch=mian (main?)'],
    ['latest:branch=hotfix', 'no run has branch=hotfix; there are main, maine-2'],
    ['latest:brunch=main,env=cd', 'no run has the metadata brunch (branch?); no run has env=cd (ci?)'],
    ['latest:branch=main', 'those that there are were scored or executed differently, or all of their samples failed'],
    ['latest', 'those that there are were scored or executed differently, or all of their samples failed'],
  ])('says why %s finds none', async (text, why) => expect(await explain(text)).toBe(why));

  it('says that there is none yet', async () => {
    expect(await explain('latest:branch=main', runs.slice(3))).toBe('it is the first one');
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
