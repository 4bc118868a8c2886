import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { FrameType } from './journal-frames.js';
import { decodeSegment, FrameBatch, type SegmentFrame } from './segment-frames.js';
import { SEGMENT_BYTES } from './segment-store.js';
import { Segment, type KeptCall } from './segment.js';
import { SharedJournal } from './shared-journal.js';

let folder: string;
let journal: SharedJournal;
let errors: number[];

const owner = {
  onJournalError: (_error: unknown, calls: number) => errors.push(calls),
  onSyncError: (error: unknown) => {
    throw error;
  },
  quarantine: () => false,
};
const open = (sync: 'never' | 'interval' | 'always' = 'never'): void => {
  journal = new SharedJournal(folder, sync, owner, []);
};

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'spandrel-shared-journal-'));
  errors = [];
});
afterEach(async () => {
  jest.restoreAllMocks();
  await journal.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

const segments = (): string[] => fs.readdirSync(folder).sort();
const bytesOnDisk = (): number =>
  segments().reduce(
    (sum, name) => sum + (fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
const frames = (): SegmentFrame[] =>
  segments().flatMap((name) => {
    const { marker } = Segment.ofFile(name)!;
    return decodeSegment(fs.readFileSync(path.join(folder, name)), marker).frames;
  });
const told = (id: string): string[] => {
  const of = new Map(frames().map((frame) => [`${frame.id} ${frame.number}`, frame]));
  return [...of.values()]
    .filter((frame) => frame.id === id)
    .sort((a, b) => a.number - b.number)
    .map(({ type, payload }) => `${FrameType[type]} ${payload.toString().slice(0, 8)}`);
};
const begin = (id: string): KeptCall => {
  const call = journal.begin(id);
  journal.append(call, FrameType.Facts, id, true);
  return call;
};
const chunk = (call: KeptCall, text: string): void =>
  journal.append(call, FrameType.RequestChunk, Buffer.from(text), true);
const kept = (): Promise<void> => new Promise((resolve) => journal.whenKept(() => resolve()));
/** Counts what was brought to the disk with its length: the folder first, then each segment that is made ahead. */
const countSyncs = (): { done: number } => {
  const count = { done: 0 };
  const { fsync } = fs;
  jest.spyOn(fs, 'fsync').mockImplementation(((fd: number, done: (error: Error | null) => void) =>
    fsync(fd, (error) => {
      count.done++;
      done(error);
    })) as typeof fs.fsync);
  return count;
};
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((done) => setTimeout(done, 1));
};

describe('the shared journal', () => {
  it('writes what a turn tells in one go, and steps wait for that in their order', async () => {
    open();
    const writes = jest.spyOn(fs, 'writeSync');
    const steps: string[] = [];
    const note = (name: string) => () => steps.push(`${name} ${told('a').length + told('b').length}`);
    const a = begin('a');
    expect(journal.whenKept(note('a1'))).toBe(false);
    const b = begin('b');
    journal.whenKept(note('b1'));
    chunk(a, 'hello');
    journal.whenKept(note('a2'));
    chunk(b, 'hello');
    expect([steps, writes.mock.calls.length]).toEqual([[], 0]);
    await kept();
    expect(steps).toEqual(['a1 4', 'b1 4', 'a2 4']);
    expect(writes).toHaveBeenCalledTimes(1);
    expect(journal.whenKept(note('at once'))).toBe(true);
    expect(told('a')).toEqual(['Facts a', 'RequestChunk hello']);
  });

  it('leaves no file when all is delivered', async () => {
    open();
    begin('a');
    await kept();
    expect(segments()).toHaveLength(1);
    journal.done('a');
    await until(() => segments().length === 0);
    begin('b');
    await kept();
    journal.append(journal.begin('c'), FrameType.Facts, 'c', false);
    await until(() => told('c').length === 1);
    journal.done('b');
    journal.done('c');
    await journal.close();
    expect(segments()).toEqual([]);
  });

  it('says of calls that they are over before the next start, where others still need the file', async () => {
    open();
    begin('a');
    begin('b');
    await kept();
    journal.done('a');
    await until(() => told('a').length === 2);
    expect(told('a')).toEqual(['Facts a', 'Done ']);
    expect(told('b')).toEqual(['Facts b']);
  });

  it('is not held up by a call that goes on for long, which keeps all of its frames', async () => {
    open('interval');
    const long = begin('long');
    const big = Buffer.alloc(SEGMENT_BYTES / 8, 'x');
    for (let round = 0; round < 80; round++) {
      if (round % 10 === 0) chunk(long, `piece ${round / 10}`);
      const call = begin(`call ${round}`);
      journal.append(call, FrameType.RequestChunk, big, true);
      await kept();
      journal.done(call.id);
      // The oldest is read and written anew beside the calls, on a busy machine in its own time.
      await new Promise((done) => setTimeout(done, 2));
      await until(() => bytesOnDisk() < 7 * SEGMENT_BYTES);
    }
    expect(told('long')).toEqual([
      'Facts long',
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((piece) => `RequestChunk piece ${piece}`),
    ]);
    journal.done('long');
    await until(() => segments().length === 0);
  });

  it('carries of a finished recording no more than it needs', async () => {
    open();
    const finished = begin('finished');
    journal.append(finished, FrameType.RequestChunk, Buffer.alloc(1_000), true);
    journal.append(finished, FrameType.Finished, '{}\n{}', false);
    for (let round = 0; round < 60; round++) {
      const call = begin(`call ${round}`);
      journal.append(call, FrameType.RequestChunk, Buffer.alloc(SEGMENT_BYTES / 8), true);
      await kept();
      journal.done(call.id);
      await new Promise((done) => setTimeout(done, 2));
    }
    await until(() => told('finished').length === 2);
    expect(told('finished')).toEqual(['Facts finished', 'Finished {}\n{}']);
  });

  it('loses no call but those that were being written when the disk was full, and no step', async () => {
    open();
    begin('before');
    await kept();
    const { writeSync } = fs;
    const full = jest.spyOn(fs, 'writeSync').mockImplementation(((fd: number, bytes: Buffer, at: number) => {
      // A part of it fits.
      if (at === 0) return writeSync(fd, bytes, 0, 10);
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    }) as typeof fs.writeSync);
    const before = bytesOnDisk();
    const lost = begin('lost');
    let passed = false;
    journal.whenKept(() => (passed = true));
    await journal.quiet();
    expect([passed, errors, bytesOnDisk()]).toEqual([true, [1], before]);
    chunk(lost, 'more');
    await kept();
    full.mockRestore();
    begin('after');
    await kept();
    expect([told('before'), told('after')]).toEqual([['Facts before'], ['Facts after']]);
    // Nobody recovers a part of it.
    expect(told('lost')).toEqual(['Done ']);
  });

  it('makes the next segment ahead where each batch goes to the disk, and takes it away with the others', async () => {
    open('always');
    const syncs = countSyncs();
    const begun = begin('big');
    await kept();
    chunk(begun, 'x'.repeat(SEGMENT_BYTES / 2));
    await kept();
    await until(() => syncs.done === 2);
    const [, ahead] = segments();
    // What a kill leaves of it is an empty segment.
    const bytes = fs.readFileSync(path.join(folder, ahead!));
    expect(decodeSegment(bytes, Segment.ofFile(ahead!)!.marker)).toEqual({ frames: [], whole: true });
    chunk(begun, 'y'.repeat(SEGMENT_BYTES / 2));
    await kept();
    begin('later');
    await kept();
    expect(segments()[1]).toBe(ahead);
    const later = fs.readFileSync(path.join(folder, ahead!));
    expect(later).toHaveLength(SEGMENT_BYTES);
    expect(decodeSegment(later, Segment.ofFile(ahead!)!.marker)).toMatchObject({
      frames: [{ id: 'later' }],
      whole: true,
    });
    journal.done('big');
    journal.done('later');
    await until(() => segments().length === 0);
  });

  it.each([true, false])('removes a segment made ahead that nothing was written to (made: %j)', async (made) => {
    open('always');
    const syncs = countSyncs();
    chunk(begin('big'), 'x'.repeat(SEGMENT_BYTES / 2));
    await kept();
    await until(() => segments().length === 2);
    if (made) await until(() => syncs.done === 2);
    journal.done('big');
    if (made) await until(() => segments().length === 0);
    await journal.close();
    expect(segments()).toEqual([]);
  });

  it('makes another one ahead after one that came too late', async () => {
    open('always');
    const held: (() => void)[] = [];
    const { fsync } = fs;
    jest
      .spyOn(fs, 'fsync')
      .mockImplementation(((fd: number, done: () => void) =>
        segments().length > 1 && held.length === 0
          ? void held.push(() => fsync(fd, done))
          : fsync(fd, done)) as typeof fs.fsync);
    const call = begin('big');
    await kept();
    const grow = async (): Promise<void> => {
      chunk(call, 'x'.repeat(SEGMENT_BYTES / 2));
      await kept();
    };
    await grow();
    await until(() => held.length === 1);
    const late = segments()[1]!;
    await grow();
    await grow();
    expect(segments()).toHaveLength(3);
    held[0]!();
    await until(() => fs.statSync(path.join(folder, late)).size === SEGMENT_BYTES);
    while (segments().includes(late)) {
      chunk(call, 'x');
      await kept();
    }
    await until(() => segments().length === 3);
    expect(told('big')[0]).toBe('Facts big');
  });

  it('lets segments grow where none can be made ahead', async () => {
    open('always');
    const opened = jest
      .spyOn(fs, 'open')
      .mockImplementation(((...args: unknown[]) =>
        (args.at(-1) as (error: Error) => void)(new Error('ENOSPC'))) as typeof fs.open);
    const call = begin('big');
    for (const part of ['x', 'y']) {
      chunk(call, part.repeat(SEGMENT_BYTES / 2 + 1));
      await kept();
    }
    begin('later');
    await kept();
    expect(opened).toHaveBeenCalledTimes(1);
    expect([told('big').length, told('later')]).toEqual([3, ['Facts later']]);
  });

  it('waits for the disk where it is set to, and gathers what comes meanwhile', async () => {
    open('always');
    const waiting: (() => void)[] = [];
    const { fdatasync } = fs;
    jest
      .spyOn(fs, 'fdatasync')
      .mockImplementation(
        ((fd: number, done: () => void) => void waiting.push(() => fdatasync(fd, done))) as typeof fs.fdatasync,
      );
    const steps: string[] = [];
    begin('a');
    journal.whenKept(() => steps.push('a'));
    await until(() => waiting.length === 1);
    begin('b');
    journal.whenKept(() => steps.push('b'));
    begin('c');
    journal.whenKept(() => steps.push('c'));
    await new Promise((done) => setTimeout(done, 20));
    expect([steps, told('b')]).toEqual([[], []]);
    waiting.shift()!();
    await until(() => waiting.length === 1);
    expect([steps, told('c')]).toEqual([['a'], ['Facts c']]);
    waiting.shift()!();
    await until(() => steps.length === 3);
    expect(steps).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['never', 0],
    ['interval', 1],
  ] as const)('with sync %s brings what stays to the disk %d times at its end', async (sync, times) => {
    open(sync);
    const synced = jest.spyOn(fs, 'fdatasync');
    begin('a');
    await kept();
    await journal.close();
    expect(synced).toHaveBeenCalledTimes(times);
  });
});

describe('a segment', () => {
  it('gives all frames back but those in which there is damage', () => {
    open();
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 60 }), { minLength: 1, maxLength: 12 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        (payloads, where, change, torn) => {
          const marker = Buffer.from('marker88');
          const batch = new FrameBatch();
          const ends = payloads.map((payload, number) => {
            batch.add(marker, { id: 'call', number }, FrameType.RequestChunk, Buffer.from(payload));
            return batch.length;
          });
          const bytes = Buffer.from(batch.bytes());
          expect(decodeSegment(bytes, marker)).toMatchObject({ whole: true });
          const at = where % bytes.length;
          const hit = ends.findIndex((end) => at < end);
          if (!torn) bytes[at]! ^= change;
          const { frames, whole } = decodeSegment(torn ? bytes.subarray(0, at) : bytes, marker);
          const good = payloads.map((_, number) => number).filter((number) => (torn ? number < hit : number !== hit));
          expect(frames.map(({ number }) => number)).toEqual(good);
          expect(whole).toBe(torn && at === (ends[hit - 1] ?? 0));
          for (const { number, payload } of frames) expect([...payload]).toEqual([...payloads[number]!]);
        },
      ),
    );
  });
});
