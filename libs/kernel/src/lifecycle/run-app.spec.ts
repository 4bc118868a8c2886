import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger } from '../log/logger.js';
import { Lifecycle } from './run-app.js';

const silent = createLogger('silent', 'test');

describe('Lifecycle', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('stops parts last first, each once', async () => {
    const stopped: string[] = [];
    const lifecycle = new Lifecycle(silent, 10_000);
    lifecycle.onStop('storage', () => void stopped.push('storage'));
    lifecycle.onStop('http', async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      stopped.push('http');
    });
    expect(await Promise.all([lifecycle.stop(), lifecycle.stop()])).toEqual([true, true]);
    expect(stopped).toEqual(['http', 'storage']);
  });

  it('goes on when a part fails, and says so', async () => {
    let stopped = false;
    const lifecycle = new Lifecycle(silent, 10_000);
    lifecycle.onStop('storage', () => void (stopped = true));
    lifecycle.onStop('http', () => {
      throw new Error('stuck');
    });
    expect(await lifecycle.stop()).toBe(false);
    expect(stopped).toBe(true);
  });

  it('does not wait for a part beyond the grace time', async () => {
    const lifecycle = new Lifecycle(silent, 20);
    lifecycle.onStop('hangs', () => new Promise(() => undefined));
    expect(await lifecycle.stop()).toBe(false);
  });

  it('does not wait for longer where the clock of the machine is set back meanwhile', async () => {
    const lifecycle = new Lifecycle(silent, 20);
    lifecycle.onStop('hangs', () => new Promise(() => undefined));
    const before = Date.now() - 3_600_000;
    lifecycle.onStop('http', () => void jest.spyOn(Date, 'now').mockReturnValue(before));
    expect(await lifecycle.stop()).toBe(false);
  });
});
