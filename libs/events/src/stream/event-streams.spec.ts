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

describe('an event stream that waits for its turn on a connection', () => {
  it('does not begin when the server stops meanwhile', async () => {
    const log = { newest: async () => 0, slice: async () => [] } as unknown as EventLogStore;
    const logger = createLogger('silent', 'test');
    const settings = { retentionMs: 1, queuedBytes: 1, stalledMs: 1_000, behindMs: 1_000 };
    const streams = new EventStreams(
      log,
      new ProjectFeeds(log, new EventBus(logger), logger),
      new ReplaySlices(log),
      new EventMetrics(new Registry()),
      settings,
      logger,
    );
    const answer = Object.assign(new EventEmitter(), { socket: null as unknown, req: new EventEmitter() });
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
});
