import { describe, expect, it } from '@jest/globals';
import { letOthersRun } from '@spandrel/kernel';
import { Flow } from './flow.js';

const make = () => {
  let resumed = 0;
  const flow = new Flow(() => resumed++);
  return { flow, count: () => resumed };
};

describe('when a body is read on', () => {
  it('goes on at once while little comes and it is taken', () => {
    const { flow, count } = make();
    expect(flow.passed(1_000, true)).toBe(true);
    expect(count()).toBe(0);
  });

  it('waits until more is taken', () => {
    const { flow, count } = make();
    expect(flow.passed(1_000, false)).toBe(false);
    flow.drained();
    expect(count()).toBe(1);
  });

  it('lets others have their turn after 64 KiB, even where all is taken at once', async () => {
    const { flow, count } = make();
    expect(flow.passed(40_000, true)).toBe(true);
    expect(flow.passed(40_000, false)).toBe(false);
    flow.drained();
    expect(count()).toBe(0);
    await letOthersRun();
    expect(count()).toBe(1);
  });

  it('waits for both', async () => {
    const { flow, count } = make();
    expect(flow.passed(70_000, false)).toBe(false);
    await letOthersRun();
    expect(count()).toBe(0);
    flow.drained();
    expect(count()).toBe(1);
  });
});
