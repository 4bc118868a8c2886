import { expect, it } from '@jest/globals';
import type { StartReplay } from '@spandrel/contract';
import { Invalid, LOCAL_SCOPE } from '@spandrel/kernel';
import { largeRequestHash } from '@spandrel/tracing';
import { BeginReplay } from './begin-replay.js';

it('meets the fault itself where another request for the replay has met it', async () => {
  const body = { id: 'r', name: 'n', scoring: 'None', source: { span_ids: ['s'] } } as StartReplay;
  const found = [{ id: 'r', requestHash: await largeRequestHash({ ...body }) }, null, null];
  const fault = new Invalid('nothing_to_replay', 'no span matches');
  const begins: BeginReplay = Reflect.construct(BeginReplay, [
    ...[undefined, { find: async () => found.shift() }, undefined, undefined, undefined, undefined],
    ...[{ listScorers: () => Promise.reject(fault) }, undefined, { prepare: async () => undefined }],
  ]);
  await expect(begins.execute(LOCAL_SCOPE, body)).rejects.toBe(fault);
  expect(found).toEqual([]);
});
