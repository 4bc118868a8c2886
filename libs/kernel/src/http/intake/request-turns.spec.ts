import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { RequestTurns } from './request-turns.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const spin = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe('RequestTurns', () => {
  const server = (): EventEmitter & Pick<Server, 'on'> => new EventEmitter() as EventEmitter & Pick<Server, 'on'>;

  it('begins a request at once while the turn is young', () => {
    const begun: number[] = [];
    const turns = new RequestTurns(server());
    for (const request of [1, 2, 3]) turns.begin(() => begun.push(request));
    expect(begun).toEqual([1, 2, 3]);
  });

  it('leaves requests that a turn has no time for to the next ones, in order', async () => {
    const begun: number[] = [];
    const turns = new RequestTurns(server());
    for (let request = 0; request < 10; request++) {
      turns.begin(() => {
        spin(3);
        begun.push(request);
      });
    }
    expect(begun.length).toBeLessThan(5);
    for (let i = 0; i < 10; i++) await turn();
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('takes connections first while they keep coming, but not for ever', async () => {
    const connections = server();
    const turns = new RequestTurns(connections);
    let begun = false;
    connections.emit('connection');
    turns.begin(() => (begun = true));
    expect(begun).toBe(false);
    const since = performance.now();
    let turnsTaken = 0;
    while (!begun && performance.now() - since < 2_000) {
      connections.emit('connection');
      await turn();
      turnsTaken++;
    }
    expect(begun).toBe(true);
    expect(turnsTaken).toBeGreaterThan(3);
  });

  it('begins what waits for one connection in the next turn', async () => {
    const connections = server();
    const turns = new RequestTurns(connections);
    let begun = false;
    connections.emit('connection');
    turns.begin(() => (begun = true));
    await turn();
    await turn();
    expect(begun).toBe(true);
  });
});
