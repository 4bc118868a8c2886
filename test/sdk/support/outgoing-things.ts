import type { OutgoingSpan, OutgoingTrace, QueuedTrace } from '../../../libs/sdk/src/delivery/queue.js';

/** A trace whose members the test changes. */
export class TestTrace implements OutgoingTrace {
  name = 'first';
  queued?: QueuedTrace;

  constructor(readonly id: string) {}

  json(): string {
    return JSON.stringify({ id: this.id, name: this.name });
  }
}

/** A span that runs until the test ends it. */
export class TestSpan implements OutgoingSpan {
  status = 'running';

  constructor(
    readonly id: string,
    readonly trace: OutgoingTrace,
    readonly text = '',
  ) {}

  json(): string {
    return JSON.stringify({ id: this.id, trace_id: this.trace.id, name: 's', status: this.status, input: this.text });
  }

  end(): this {
    this.status = 'completed';
    return this;
  }
}
