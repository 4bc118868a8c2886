import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.js';
import type { TraceRow } from './trace.entity.js';
import { traceJson, traceResource } from './trace-resource.js';
import { exportedTrace, newTrace } from './write/trace-row.js';

const text = fc.option(fc.string({ unit: anyCharacter }));

it('the JSON of a trace is that of its resource', () => {
  const trace = fc
    .record({
      id: fc.string(),
      name: text,
      sessionId: text,
      userId: text,
      tags: fc.array(fc.string()).map((tags) => JSON.stringify(tags)),
      metadata: fc.dictionary(fc.string(), fc.jsonValue()).map((metadata) => JSON.stringify(metadata)),
      startedAt: fc.nat(),
      status: fc.constantFrom(0, 1, 2),
      runningCount: fc.nat(1),
      endedAt: fc.option(fc.nat()),
    })
    .map((row) => row as unknown as TraceRow);
  fc.assert(
    fc.property(trace, (row) => {
      expect(JSON.parse(traceJson(row))).toEqual(JSON.parse(JSON.stringify(traceResource(row))));
      expect(Object.keys(JSON.parse(traceJson(row)) as object)).toEqual(Object.keys(traceResource(row)));
    }),
  );
});

it('an export has the stored metadata as it is, without reading it', () => {
  const place = { projectId: 'p', id: 't', startedAt: 0, createHash: null, origins: null };
  // The spaces would go if it were parsed and written again, which takes a quarter of a second for 9 MB.
  const trace = { ...newTrace(place, {}), metadata: '{ "a" : 1 }' };
  expect(exportedTrace(trace)).toContain('"metadata":{ "a" : 1 },');
});
