import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { BackgroundTasks, Scope } from '@spandrel/kernel';
import type { SpanCommitParticipants } from '../write/span-commit-participant.js';
import type { BuildTextIndex } from './build-text-index.js';
import { TextIndexTask } from './text-index-task.js';
import type { TextIndexStore } from './text-index.store.js';

describe('TextIndexTask', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('has every project have its turn again although one always has more to do', async () => {
    const stop = new AbortController();
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const steps: Record<string, number> = { busy: 0, quiet: 0 };
    const execute = async ({ projectId }: Scope) => {
      steps[projectId]!++;
      if (projectId === 'quiet') now += 6_000;
      if (steps['quiet'] === 3 || steps['busy'] === 50) stop.abort();
      return projectId === 'busy' ? { spans: 1 } : 'idle';
    };
    const projects = Object.keys(steps);
    const task = new TextIndexTask(
      {} as SpanCommitParticipants,
      { execute, trim: async () => false, ageMs: 1 } as unknown as BuildTextIndex,
      { projects: () => projects } as unknown as TextIndexStore,
      { add: () => undefined } as unknown as BackgroundTasks,
    );
    await task.run(stop.signal);
    expect(steps['quiet']).toBe(3);
  });
});
