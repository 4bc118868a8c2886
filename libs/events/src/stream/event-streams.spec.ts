import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { createLogger, LOCAL_SCOPE, Unavailable } from '@spandrel/kernel';
import { Registry } from '@prometheus-io/client';
import { EventBus, ProjectFeeds } from '../feed/project-feeds.js';
import { EventFilter } from './event-filter.js';
import type { EventLogStore } from '../log/event-log.store.js';
import { EventMetrics } from '../event-metrics.js';
import { EventStreams } from './event-streams.js';
import { ReplaySlices } from './event-stream.js';

function newStreams(): EventStreams {
  const log = { newest: async () => 0, slice: async () => [] } as unknown as EventLogStore;
  const logger = createLogger('silent', 'test');
  const settings = { retentionMs: 1, queuedBytes: 1, stalledMs: 1_000, behindMs: 1_000 };
  const feeds = new ProjectFeeds(log, new EventBus(logger), logger);
  const metrics = new EventMetrics(new Registry());
  return new EventStreams(log, feeds, new ReplaySlices(log), metrics, settings, logger);
}

describe('an event stream that waits for its turn on a connection', () => {
  it('does not begin when the server stops meanwhile', async () => {
    const streams = newStreams();
    const req = Object.assign(new EventEmitter(), { socket: { destroyed: false } });
    const answer = Object.assign(new EventEmitter(), { socket: null as unknown, req });
    let begun = false;
    const opened = streams.open(
      answer as unknown as ServerResponse,
      { scope: LOCAL_SCOPE, filter: new EventFilter(), sinceSeq: undefined },
      () => void (begun = true),
    );
    await new Promise((turn) => setImmediate(turn));
    await streams.onModuleDestroy();
    answer.socket = Object.assign(new EventEmitter(), {
      writable: true,
      writableLength: 0,
      setNoDelay: () => undefined,
      setTimeout: () => undefined,
      write: () => true,
    });
    answer.emit('socket');
    await expect(opened).rejects.toThrow(Unavailable);
    expect(begun).toBe(false);
  });

  it('does not wait for a connection that is gone', async () => {
    const streams = newStreams();
    const req = Object.assign(new EventEmitter(), { socket: { destroyed: true } });
    const answer = Object.assign(new EventEmitter(), { socket: null, req }) as unknown as ServerResponse;
    const request = { scope: LOCAL_SCOPE, filter: new EventFilter(), sinceSeq: undefined };
    await streams.open(answer, request, () => expect('headers').toBe('not sent'));
    await streams.onModuleDestroy();
  });
});
