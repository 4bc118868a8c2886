import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RequestScheduler } from './request-scheduler.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Milliseconds on a clock that goes when a test lets it. */
let now = 0;
beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('RequestScheduler', () => {
  const server = (): EventEmitter & Pick<Server, 'on'> => new EventEmitter() as EventEmitter & Pick<Server, 'on'>;

  it('begins a request at once while the turn is young', () => {
    const begun: number[] = [];
    const turns = new RequestScheduler(server());
    for (const request of [1, 2, 3]) turns.begin(() => begun.push(request));
    expect(begun).toEqual([1, 2, 3]);
  });

  it('begins a request whose answer waits behind others in a later turn', async () => {
    const begun: number[] = [];
    const turns = new RequestScheduler(server());
    turns.begin(() => begun.push(1));
    turns.begin(() => begun.push(2), true);
    turns.begin(() => begun.push(3));
    expect(begun).toEqual([1]);
    await turn();
    await turn();
    expect(begun).toEqual([1, 2, 3]);
  });

  it('leaves requests that a turn has no time for to the next ones, in order', async () => {
    const begun: number[] = [];
    const turns = new RequestScheduler(server());
    for (let request = 0; request < 10; request++) {
      turns.begin(() => {
        now += 3;
        begun.push(request);
      });
    }
    expect(begun.length).toBeLessThan(5);
    for (let i = 0; i < 10; i++) await turn();
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('counts the time in which a request goes on in microtasks', async () => {
    const begun: number[] = [];
    const turns = new RequestScheduler(server());
    turns.begin(() => (now += 3));
    turns.begin(() => (now += 3));
    for (let request = 0; request < 10; request++) {
      turns.begin(() => {
        begun.push(request);
        void Promise.resolve().then(() => (now += 3));
      });
    }
    await turn();
    expect(begun.length).toBeLessThan(5);
    for (let i = 0; i < 10; i++) await turn();
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('takes connections first while they keep coming, but not for ever', async () => {
    const connections = server();
    const turns = new RequestScheduler(connections);
    let begun = false;
    connections.emit('connection');
    turns.begin(() => (begun = true));
    expect(begun).toBe(false);
    let turnsTaken = 0;
    while (!begun && turnsTaken < 100) {
      connections.emit('connection');
      await turn();
      turnsTaken++;
      now += 4;
    }
    expect(begun).toBe(true);
    expect(turnsTaken).toBe(6);
  });

  it('begins what waits for one connection in the next turn', async () => {
    const connections = server();
    const turns = new RequestScheduler(connections);
    let begun = false;
    connections.emit('connection');
    turns.begin(() => (begun = true));
    await turn();
    await turn();
    expect(begun).toBe(true);
  });
});
