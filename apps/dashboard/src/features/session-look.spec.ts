import type { BrowserSessionResource } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { SessionLook } from './session-look.js';

const NOW = { signed_in: false } as BrowserSessionResource;

/** A look at a server whose answers come when the test says so. */
function looking() {
  const asked: PromiseWithResolvers<BrowserSessionResource>[] = [];
  const waiting: { ms: number; run: () => void }[] = [];
  const onSession: (BrowserSessionResource | null)[] = [];
  const look = new SessionLook({
    read: () => {
      const answer = Promise.withResolvers<BrowserSessionResource>();
      asked.push(answer);
      return answer.promise;
    },
    onSession: (now) => onSession.push(now),
    later: (ms, run) => {
      const job = { ms, run };
      waiting.push(job);
      return () => void (waiting.includes(job) && waiting.splice(waiting.indexOf(job), 1));
    },
  });
  const fail = async (n: number): Promise<void> => {
    asked[n]!.reject(new Error('unreachable'));
    await Promise.resolve();
    await Promise.resolve();
  };
  return { look, asked, waiting, onSession, fail };
}

describe('SessionLook', () => {
  it('says what the server says', async () => {
    const { look, asked, onSession, waiting } = looking();
    look.look();
    asked[0]!.resolve(NOW);
    await asked[0]!.promise;
    expect(onSession).toEqual([NOW]);
    expect(waiting).toEqual([]);
  });

  it('asks a server that did not answer again, until it does', async () => {
    const { look, asked, onSession, waiting, fail } = looking();
    look.look();
    await fail(0);
    expect(waiting).toMatchObject([{ ms: 5_000 }]);
    waiting.pop()!.run();
    await fail(1);
    waiting.pop()!.run();
    asked[2]!.resolve(NOW);
    await asked[2]!.promise;
    expect(onSession).toEqual([NOW]);
    expect(waiting).toEqual([]);
  });

  it('waits for one answer only, however often it is asked to look', async () => {
    const { look, waiting, fail } = looking();
    look.look();
    look.look();
    await fail(0);
    await fail(1);
    expect(waiting).toHaveLength(1);
    look.look();
    expect(waiting).toEqual([]);
  });

  it('says nothing once it is over, and asks no more', async () => {
    const { look, asked, onSession, waiting, fail } = looking();
    look.look();
    look.look();
    look.look();
    await fail(0);
    look.end();
    await fail(1);
    asked[2]!.resolve(NOW);
    await asked[2]!.promise;
    expect(onSession).toEqual([]);
    expect(waiting).toEqual([]);
  });
});
