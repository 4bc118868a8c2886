import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { fromColumns } from './from-columns.js';

const schema = z.object({
  id: z.string(),
  dataset_id: z.string().nullable(),
  max_p95_ms: z.number(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  at: z.string(),
  enabled: z.boolean(),
  format: z.number(),
  note: z.string().optional(),
});

describe('fromColumns', () => {
  const row = {
    projectId: 'p',
    enabled: 1,
    format: 2,
    at: 0,
    endedAt: null,
    startedAt: 1,
    maxP95Ms: 3,
    datasetId: null,
    id: 'i',
  };

  it('has the members of the schema in its order, from columns of their names, and times as timestamps', () => {
    expect(JSON.stringify(fromColumns(schema, row, { enabled: row.enabled === 1 }))).toBe(
      '{"id":"i","dataset_id":null,"max_p95_ms":3,"started_at":"1970-01-01T00:00:00.001Z","ended_at":null,' +
        '"at":"1970-01-01T00:00:00.000Z","enabled":true,"format":2}',
    );
  });

  it('takes a member that is given before its column, and demands one that no column holds as it is shown', () => {
    expect(fromColumns(schema, row, { enabled: false, dataset_id: 'd', note: 'n' })).toMatchObject({
      dataset_id: 'd',
      note: 'n',
    });
    // @ts-expect-error `enabled` is a number in its column.
    fromColumns(schema, row, {});
  });
});
