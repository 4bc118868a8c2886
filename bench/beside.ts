import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../test/support/api.ts';
import type { Peer } from './process.ts';

/** Milliseconds between the requests that are sent beside other work, and between looks at the memory. */
const BESIDE_MS = 5;
const MEMORY_MS = 50;

/** Sends spans and looks at the memory until it is stopped. */
export class Beside {
  private going = true;
  private readonly millis: number[] = [];
  private peak = 0;
  private readonly api: Api;
  private readonly peer: Peer;
  private readonly loops: Promise<void>[];

  constructor(api: Api, peer: Peer) {
    this.api = api;
    this.peer = peer;
    this.loops = [this.spans(), this.memory()];
  }

  /** @returns milliseconds that a request took, and the most memory, in bytes. */
  async stop(): Promise<{ p50: number; p99: number; peak: number; requests: number }> {
    this.going = false;
    await Promise.all(this.loops);
    const sorted = this.millis.toSorted((a, b) => a - b);
    const at = (part: number): number => sorted[Math.floor(sorted.length * part)]!;
    return { p50: at(0.5), p99: at(0.99), peak: this.peak, requests: sorted.length };
  }

  private async spans(): Promise<void> {
    const { body: trace } = await this.api.post<{ id: string }>('/api/traces', {});
    while (this.going) {
      const started = performance.now();
      await this.api.post('/api/spans', { trace_id: trace.id, name: 'beside', input: 'x' });
      this.millis.push(performance.now() - started);
      await sleep(BESIDE_MS);
    }
  }

  private async memory(): Promise<void> {
    while (this.going) {
      this.peak = Math.max(this.peak, this.peer.rssBytes());
      await sleep(MEMORY_MS);
    }
  }
}
