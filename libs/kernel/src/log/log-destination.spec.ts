import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { LogDestination, LineBuffer, type LogDevice } from './log-destination.js';

const errorOf = (code: string): Error => Object.assign(new Error(code), { code });

/** A device whose every write does as `next` says. */
class FakeDevice implements LogDevice {
  readonly chunkBytes = 100;
  text = '';
  next: (bytes: Buffer) => number | Promise<number> = (bytes) => bytes.length;

  write(bytes: Buffer): number | Promise<number> {
    const taken = this.next(bytes);
    if (typeof taken === 'number') this.text += bytes.toString('utf8', 0, taken);
    return taken;
  }

  writeNow = (bytes: Buffer): number => this.write(bytes) as number;
}

const made = (): { device: FakeDevice; destination: LogDestination } => {
  const device = new FakeDevice();
  return { device, destination: new LogDestination(() => device) };
};

describe('LogDestination', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('writes nothing while it is called, and all at once before the event loop turns', async () => {
    const { device, destination } = made();
    const writes = jest.spyOn(device, 'write');
    destination.write('a\n');
    destination.write('b\n');
    expect(device.text).toBe('');
    await turn();
    expect(device.text).toBe('a\nb\n');
    expect(writes).toHaveBeenCalledTimes(1);
  });

  it('gathers lines that are in no hurry until there are enough, another line comes, or it ends', async () => {
    const { device, destination } = made();
    destination.bulk.write('a\n');
    await turn();
    expect(device.text).toBe('');
    destination.bulk.write(`${'b'.repeat(100)}\n`);
    await turn();
    expect(device.text.length).toBe(103);
    destination.bulk.write('c\n');
    destination.write('d\n');
    await turn();
    expect(device.text.endsWith('c\nd\n')).toBe(true);
    destination.bulk.write('e\n');
    expect(await destination.end(1_000)).toBe(true);
    expect(device.text.endsWith('d\ne\n')).toBe(true);
  });

  it('goes on where a reader that was busy stopped taking', async () => {
    const { device, destination } = made();
    let busy = 5;
    device.next = (bytes) => (busy-- > 0 ? busy % 2 : bytes.length);
    destination.write('abcdef\n');
    while (device.text !== 'abcdef\n') await turn();
    expect(destination.droppedLines).toBe(0);
  });

  it('keeps 4 MiB for a reader that stopped, counts what is more, and ends without it', async () => {
    const { device, destination } = made();
    const line = `${'x'.repeat(1023)}\n`;
    device.next = () => 0;
    for (let n = 0; n < 5_000; n++) destination.write(line);
    expect(destination.droppedLines).toBe(5_000 - 4_096);
    expect(await destination.end(50)).toBe(true);
    expect(destination.droppedLines).toBe(5_000);
    destination.write(line);
    expect(destination.droppedLines).toBe(5_001);
  });

  it('drops at once what nobody is there to read, and tries later lines again', async () => {
    const { device, destination } = made();
    device.next = () => {
      throw errorOf('EPIPE');
    };
    destination.write('a\nb\n');
    await turn();
    expect(destination.droppedLines).toBe(2);
    device.next = (bytes) => bytes.length;
    destination.write('c\n');
    while (device.text === '') await turn();
    expect([device.text, destination.droppedLines]).toEqual(['c\n', 2]);
  });

  it('tries the same lines again when a full disk has been emptied, and gives up at its end', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
    const { device, destination } = made();
    const full = (): never => {
      throw errorOf('ENOSPC');
    };
    device.next = full;
    destination.write('a\n');
    await turn();
    device.next = (bytes) => bytes.length;
    await jest.advanceTimersByTimeAsync(1_000);
    await turn();
    expect([device.text, destination.droppedLines]).toEqual(['a\n', 0]);
    jest.useRealTimers();
    device.next = full;
    destination.write('b\n');
    expect(await destination.end(1_000)).toBe(true);
    expect(destination.droppedLines).toBe(1);
  });

  it('has one write under way, says when that never ends, and writes what came meanwhile when it does', async () => {
    const { device, destination } = made();
    const first = Promise.withResolvers<number>();
    const writes = jest.spyOn(device, 'write').mockReturnValueOnce(first.promise);
    destination.write('a\n');
    await turn();
    destination.write('b\n');
    await turn();
    expect(writes).toHaveBeenCalledTimes(1);
    first.resolve(2);
    while (device.text !== 'b\n') await turn();

    writes.mockReturnValueOnce(new Promise(() => undefined));
    destination.write('c\n');
    await turn();
    expect(await destination.end(20)).toBe(false);
    expect(destination.droppedLines).toBe(1);
  });
});

describe('LineBuffer', () => {
  it('gives back whole lines in their order, in chunks no longer than asked for', () => {
    const buffer = new LineBuffer(1_000, 10);
    for (const line of ['abc\n', 'de\n', 'fghi\n', 'a line that is longer\n', 'j\n']) buffer.add(line);
    const chunks: string[] = [];
    for (let chunk = buffer.next(); chunk; chunk = buffer.next()) {
      chunks.push(chunk.toString());
      buffer.took(chunk.length);
    }
    expect(chunks).toEqual(['abc\nde\n', 'fghi\n', 'a line that is longer\n', 'j\n']);
    expect([buffer.bytes, buffer.dropped]).toEqual([0, 0]);
  });

  it('counts every line that it drops, one that was written in part too', () => {
    const buffer = new LineBuffer(10, 100);
    buffer.add('12345\n');
    buffer.add('123\n');
    buffer.add('x\n');
    expect([buffer.bytes, buffer.dropped]).toEqual([10, 1]);
    buffer.next();
    buffer.took(8);
    buffer.dropAll();
    expect([buffer.bytes, buffer.dropped, buffer.next()]).toEqual([0, 2, undefined]);
  });

  it('never holds more than its bound, loses no byte of what fits, and counts exactly', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ add: fc.string({ unit: 'grapheme', maxLength: 30 }) }) },
      fc.record({ take: fc.integer({ min: 0, max: 40 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const buffer = new LineBuffer(200, 32);
        let [added, taken, dropped] = ['', Buffer.alloc(0), 0];
        for (const each of steps) {
          if ('add' in each) {
            const line = `${JSON.stringify(each.add)}\n`;
            if (buffer.bytes + Buffer.byteLength(line) > 200) dropped++;
            else added += line;
            buffer.add(line);
          } else {
            const bytes = buffer.next();
            if (!bytes) continue;
            const count = Math.min(each.take, bytes.length);
            taken = Buffer.concat([taken, bytes.subarray(0, count)]);
            buffer.took(count);
          }
          expect(buffer.bytes).toBeLessThanOrEqual(200);
          expect(buffer.dropped).toBe(dropped);
        }
        for (let bytes = buffer.next(); bytes; bytes = buffer.next()) {
          taken = Buffer.concat([taken, bytes]);
          buffer.took(bytes.length);
        }
        expect(taken.toString()).toBe(Buffer.from(added).toString());
      }),
      { seed: 11 },
    );
  });
});
