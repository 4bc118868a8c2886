import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from '../../live/live-event.js';
import { EventLog, LOGGED_MAX } from './event-log.js';

const gone = (id: string): LiveEvent => ({ type: 'trace_deleted', trace_id: id });
const created = (at: string): LiveEvent => ({ type: 'trace_created', trace: { started_at: at } }) as LiveEvent;
const numbers = (log: EventLog): number[] => log.events.map(({ number }) => number);

/** A log with the events of these numbers. */
function logOf(from: number, to: number): EventLog {
  const log = new EventLog();
  for (let number = from; number <= to; number++) log.add(number, gone(String(number)), number);
  log.flush();
  return log;
}

describe('EventLog', () => {
  it('keeps the newest, and counts those that left', () => {
    const log = logOf(1, LOGGED_MAX + 5);
    expect([log.events.length, numbers(log)[0], log.droppedCount]).toEqual([LOGGED_MAX, 6, 5]);
  });

  it('takes no event twice where a stream begins with what is here', () => {
    const log = logOf(7, 9);
    for (const number of [8, 9, 10]) log.add(number, gone('x'), 0);
    log.flush();
    expect(numbers(log)).toEqual([7, 8, 9, 10]);
    expect([log.beginAfter, log.resumeAfter]).toEqual([6, 10]);
  });

  it('lets events wait while it is paused, and shows them afterwards', () => {
    const log = logOf(1, 2);
    log.isPaused = true;
    log.add(3, gone('x'), 0);
    log.flush();
    expect([numbers(log), log.waitingCount]).toEqual([[1, 2], 1]);
    log.isPaused = false;
    log.flush();
    expect([numbers(log), log.waitingCount]).toEqual([[1, 2, 3], 0]);
  });

  it('goes on after what was cleared', () => {
    const log = logOf(1, 5);
    log.clear();
    expect([numbers(log), log.beginAfter, log.resumeAfter]).toEqual([[], 5, 5]);
  });

  it('has the time that an event carries, else that at which it came, and never that of another', () => {
    const log = new EventLog(0);
    log.add(1, gone('a'), null);
    log.add(2, created('2026-01-02T03:04:05.006Z'), null);
    log.add(3, gone('b'), null);
    log.add(4, gone('c'), 99);
    log.flush();
    const at = Date.parse('2026-01-02T03:04:05.006Z');
    expect(log.events.map((event) => event.at)).toEqual([null, at, null, 99]);
  });
});
