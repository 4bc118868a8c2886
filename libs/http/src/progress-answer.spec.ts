import { describe, expect, it } from '@jest/globals';
import { acceptsProgress, progressLines } from './progress-answer.js';

describe('lines of progress', () => {
  it.each([
    ['application/x-ndjson', true],
    ['application/json;q=0.5, Application/X-NDJSON; q=0.9', true],
    ['application/x-ndjson;charset=utf-8', true],
    ['application/x-ndjson;q=0', false],
    ['application/x-ndjson; q=0.00', false],
    ['application/json', false],
    ['*/*', false],
    [undefined, false],
  ])('are for those who accept them: %j', (accept, expected) => {
    expect(acceptsProgress(accept)).toBe(expected);
  });

  it('say how far it is until the outcome is there', async () => {
    const { promise, resolve } = Promise.withResolvers<object>();
    let rows = 0;
    const lines = progressLines(promise, () => ({ rows }), 1);
    expect(await lines.next()).toEqual({ done: false, value: '{"rows":0}\n' });
    rows = 7;
    expect(await lines.next()).toEqual({ done: false, value: '{"rows":7}\n' });
    expect(await lines.next()).toEqual({ done: false, value: '{"rows":7}\n' });
    resolve({ status: 201 });
    expect(await lines.next()).toEqual({ done: false, value: '{"status":201}\n' });
    expect(await lines.next()).toEqual({ done: true, value: undefined });
  });

  it('end at once when the outcome is there, however far the next one is', async () => {
    const lines = progressLines(Promise.resolve({ status: 400 }), () => ({ rows: 1 }), 86_400_000);
    const reported: string[] = [];
    for await (const line of lines) reported.push(line);
    expect(reported).toEqual(['{"rows":1}\n', '{"status":400}\n']);
  });
});
