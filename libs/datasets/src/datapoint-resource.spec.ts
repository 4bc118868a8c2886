import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { datapointJson, datapointResource } from './datapoint-resource.js';
import { type DatapointRow, SOURCE } from './datapoint.entity.js';

const value = fc.jsonValue();
const other = fc.string().filter((name) => !/^\d+$/.test(name) && name !== '__proto__');
const content = fc
  .tuple(
    fc.record(
      {
        input: value,
        expected_output: value,
        actual_output: value,
        score: fc.double({ noNaN: true }),
        metadata: value,
      },
      { requiredKeys: ['input'] },
    ),
    fc.dictionary(other, value),
  )
  .map(([known, others]) => ({ Generic: { ...others, ...known } }));
const conversation = fc
  .record({ messages: fc.array(value), expected: value, metadata: value, more: value }, { requiredKeys: ['messages'] })
  .map((members) => ({ LlmConversation: members }));

it('the JSON of a datapoint is that of its resource', () => {
  fc.assert(
    fc.property(fc.oneof(content, conversation), fc.option(value), fc.string(), (kind, result, id) => {
      const row: DatapointRow = {
        ...{ projectId: 'p', id, datasetId: 'd', fromVersion: 1, toVersion: null, importId: null },
        ...{ kind: JSON.stringify(kind), source: SOURCE.manual, sourceSpanId: null, createdAt: 0, updatedAt: 1 },
        ...{ resultOutput: result === null ? null : JSON.stringify(result), resultScore: 0.5 },
      } as DatapointRow;
      expect(JSON.parse(datapointJson(row))).toEqual(JSON.parse(JSON.stringify(datapointResource(row))));
    }),
  );
});
