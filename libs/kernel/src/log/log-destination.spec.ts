import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { LogDevice } from './log-device.js';
import { LogDestination } from './log-destination.js';

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
