import { expect, it } from '@jest/globals';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import type { StoredSpan } from '@spandrel/tracing';
import { CaptureSpans } from './capture-spans.js';

type Parts = ConstructorParameters<typeof CaptureSpans>;

it('lets others have their turn while it makes datapoints of many small spans', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => `s${n}`);
  const input = JSON.stringify(Array.from({ length: 700 }, (_, n) => ({ role: 'user', content: `${n}` })));
  const rule = { id: 'r', datasetId: 'd', enabled: 1, filters: '{}' };
  let turns = 0;
  let before = 0;
  let counting = setImmediate(function count() {
    turns++;
    counting = setImmediate(count);
  });
  const capture = new CaptureSpans(
    { write: () => Promise.resolve() } as unknown as Parts[0],
    {
      loadSome: () => {
        before = turns;
        return Promise.resolve(ids.map((id) => ({ id, input, output: '1', kindType: 'llm_call' }) as StoredSpan));
      },
    } as unknown as Parts[1],
    {} as Parts[2],
    { findSome: () => Promise.resolve([rule]) } as unknown as Parts[3],
    {} as Parts[4],
    { findTagsOfFinished: () => Promise.resolve(new Map(ids.map((id) => [id, []]))) } as unknown as Parts[5],
    ...([{}, {}, { of: () => undefined }] as unknown as [Parts[6], Parts[7], Parts[8]]),
  );
  const tasks = ids.map((spanId) => ({ projectId: 'local', ruleId: 'r', spanId, failures: 0, dueAt: 0 }));
  try {
    for await (const _step of capture.execute(LOCAL_SCOPE, tasks)) break;
    expect(turns - before).toBeGreaterThan(2);
  } finally {
    clearImmediate(counting);
  }
});
