import { defineEntity, p } from '@mikro-orm/core';
import { describe, expect, it } from '@jest/globals';
import { tableOf } from './table.js';

const ThingSchema = defineEntity({
  name: 'Thing',
  tableName: 'thing',
  properties: {
    projectId: p.text().primary(),
    traceId: p.text().nullable(),
    status: p.smallint(),
    scores: p.text(),
    meanScore: p.double().$type<number>().nullable(),
    createdAt: p.bigint('number'),
  },
});

describe('membersOf', () => {
  it('takes what has the form of the column of its name, and nothing else', () => {
    const resource = { trace_id: null, status: 'running', scores: [1], mean_score: 0.5, created_at: 7, traceId: 'no' };
    expect(tableOf(ThingSchema, ['projectId']).membersOf(resource)).toEqual({
      ...{ traceId: null, meanScore: 0.5, createdAt: 7 },
    });
  });
});
