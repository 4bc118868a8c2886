import { describe, expect, it } from '@jest/globals';
import { restoredResultSchema, restoredSampleSchema } from '@spandrel/contract';
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
