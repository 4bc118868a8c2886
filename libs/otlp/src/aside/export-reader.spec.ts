import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { TaskFailure, TaskPool, type CoreSettings, type PluginRegistry } from '@spandrel/kernel';
import type { OtlpSettings } from '../otlp.settings.js';
import { DialectReader } from '../reading/dialect-reader.js';
import { ExportReader, type ReceivedExport } from './export-reader.js';

const reader = new ExportReader(
  { itemsMax: 10, dropScopes: [] as string[] } as OtlpSettings,
  { bodyBytes: 10, bodyValues: 10 } as CoreSettings,
  { dialects: [] } as unknown as PluginRegistry,
  new DialectReader([], () => undefined),
);
const large: ReceivedExport = { bytes: new SharedArrayBuffer(200_000), encoding: 'protobuf', orgId: 'busy' };

afterEach(() => void jest.restoreAllMocks());

describe('an export that is to be read in a thread', () => {
  const answerTo = (failure: Error): Promise<unknown> => {
    jest.spyOn(TaskPool.prototype, 'run').mockRejectedValue(failure);
    return reader.read('spans', large);
  };

  it.each(['full', 'deadline', 'closed'] as const)(
    'is 503 and to be sent again where threads are %s',
    async (reason) => {
      await expect(answerTo(new TaskFailure(reason, 'no thread'))).rejects.toMatchObject({
        code: 'unavailable',
        retryAfterSeconds: 1,
      });
    },
  );

  it('is 413 when reading it takes too much memory, and a fault when a thread fails otherwise', async () => {
    const cause = Object.assign(new Error('out of memory'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
    await expect(answerTo(new TaskFailure('failed', 'it failed', { cause }))).rejects.toMatchObject({
      code: 'payload_too_large',
      message: expect.stringContaining('smaller batches'),
    });
    await expect(answerTo(new TaskFailure('failed', 'it failed'))).rejects.toThrow('it failed');
  });

  it('takes turns with those of other organizations', async () => {
    const run = jest.spyOn(TaskPool.prototype, 'run').mockResolvedValue({ count: 3 });
    expect(await reader.read('points', large)).toEqual({ count: 3 });
    expect(run.mock.calls[0]![2]).toMatchObject({ group: 'busy' });
  });
});

describe('an export that is small', () => {
  const read = (text: string): Promise<unknown> => {
    const bytes = new SharedArrayBuffer(text.length);
    Buffer.from(bytes).write(text);
    return reader.read('spans', { bytes, encoding: 'json', orgId: 'any' });
  };
  const spans = (count: number): string =>
    JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: Array.from({ length: count }, () => ({})) }] }] });

  it('is read here, and refused where it is malformed or too large', async () => {
    expect(await read(spans(3))).toMatchObject({ count: 3, next: null });
    await expect(read('{')).rejects.toMatchObject({ code: 'malformed_request' });
    await expect(read(spans(11))).rejects.toMatchObject({ code: 'payload_too_large' });
  });
});
