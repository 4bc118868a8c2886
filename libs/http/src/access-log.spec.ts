import { describe, expect, it } from '@jest/globals';
import { AccessLog, type AccessLine } from './access-log.js';
import { createLogger } from '@spandrel/kernel';

describe('AccessLog', () => {
  const line: AccessLine = { request_id: 'a"b\n', method: 'GET', status: 200, bytes_in: undefined, duration_ms: 1.5 };

  it('writes lines in the form of the logger', () => {
    const lines: string[] = [];
    const sink = { write: (text: string) => void lines.push(text) };
    createLogger('debug', 'server', sink).info(line, 'request');
    new AccessLog('debug', 'server', sink).request(line, false);
    createLogger('debug', 'server', sink).debug(line, 'request');
    new AccessLog('debug', 'server', sink).request(line, true);
    const timeless = lines.map((text) => text.replace(/"time":"[^"]+"/, '"time":""'));
    expect([timeless[1], timeless[3]]).toEqual([timeless[0], timeless[2]]);
    expect(lines[1]).toMatch(/^\{"level":"info","time":"\d{4}-\d\d-\d\dT[\d:.]+Z",.*\}\n$/);
  });

  it.each([
    ['trace', 2],
    ['debug', 2],
    ['info', 1],
    ['warn', 0],
    ['silent', 0],
  ])('at level %s has %i of a request and a health check', (level, expected) => {
    let written = 0;
    const log = new AccessLog(level, 'server', { write: () => void written++ });
    log.request(line, false);
    log.request(line, true);
    expect(written).toBe(expected);
  });
});
