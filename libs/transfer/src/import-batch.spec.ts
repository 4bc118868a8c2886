import { describe, expect, it } from '@jest/globals';
import {
  restoredQueueItemSchema,
  restoredResultSchema,
  restoredSampleSchema,
  restoredScoreSchema,
} from '@spandrel/contract';
import type { Masking } from '@spandrel/masking';
import { emptyBatch, maskBatch } from './import-batch.js';

/** Replaces each text by its field. */
const MASKING = {
  text: (text: string | null, field: string) => (text === null ? null : `<${field}>`),
  json: (value: unknown, field: string) => (value === null ? null : { masked: field }),
} as unknown as Masking;

const said = { judge_model: null, judge_prompt_hash: null, judge_tokens: null, judge_cost: null };
const RESULT = {
  ...{ run_id: 'r', datapoint_id: 'd', output: 'secret', score: 1, score_reason: 'secret', error: 'secret' },
  ...{ latency_ms: 1, tokens: 2, cost: null, status: 'completed', attempts: 1, ...said },
  scores: {
    a: { score: 1, reason: 'secret', error: null, ...said },
    b: { score: null, reason: null, error: 'secret', ...said },
  },
  metadata: { key: 'secret' },
};

describe('the texts of results and samples of an import', () => {
  it('are masked as those of runs are, what scorers said too', () => {
    const batch = emptyBatch();
    batch.eval_results.push({ index: 0, item: restoredResultSchema.parse(RESULT) });
    batch.eval_samples.push({ index: 0, item: restoredSampleSchema.parse({ ...RESULT, repeat: 3 }) });
    const bare = restoredResultSchema.parse({ ...RESULT, scores: null, metadata: null, output: null });
    batch.eval_results.push({ index: 1, item: bare });
    const { eval_results: results, eval_samples: samples } = maskBatch(MASKING, batch);
    const masked = {
      ...{ output: '<output>', score_reason: '<output>', error: '<error>', metadata: { masked: 'metadata' } },
      scores: { a: { reason: '<output>', error: null, score: 1 }, b: { reason: null, error: '<error>', score: null } },
    };
    expect(results[0]!.item).toMatchObject(masked);
    expect(samples[0]!.item).toMatchObject({ ...masked, repeat: 3 });
    expect(results[1]!.item).toMatchObject({ output: null, scores: null, metadata: null });
    expect(JSON.stringify([results, samples])).not.toContain('secret');
  });
});

const AT = '2026-11-20T09:00:00.000Z';

describe('what people said, in an import', () => {
  it('is masked with the session that it is about', () => {
    const batch = emptyBatch();
    const item = {
      ...{ id: 'i', dataset_id: null, datapoint_id: null, status: 'completed', claimed_by: 'ada', claimed_at: AT },
      ...{ original_data: null, edited_data: null, created_at: AT, session_id: 'secret', comment: 'secret' },
      scores: [{ name: 'tone', value: null, label: 'kind', comment: 'secret' }],
    };
    const score = {
      ...{ id: 's', name: 'tone', value: 1, label: null, comment: 'secret', author: 'ada', source: 'human' },
      ...{ trace_id: null, span_id: null, session_id: 'secret', rule_id: null, queue_item_id: null, config: null },
      ...{ metadata: {}, revisions: [], created_at: AT, updated_at: AT },
    };
    batch.queue_items.push({ index: 0, item: restoredQueueItemSchema.parse(item) });
    batch.scores.push({ index: 0, item: restoredScoreSchema.parse(score) });
    const { queue_items: items, scores } = maskBatch(MASKING, batch);
    expect(items[0]!.item).toMatchObject({
      session_id: '<identity>',
      comment: '<output>',
      scores: [{ label: 'kind' }],
    });
    expect(scores[0]!.item).toMatchObject({ session_id: '<identity>', comment: '<output>' });
    expect(JSON.stringify([items, scores])).not.toContain('secret');
  });
});
