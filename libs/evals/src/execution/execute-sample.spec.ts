import { describe, expect, it } from '@jest/globals';
import type { MaskingCalls } from '@spandrel/masking';
import { NO_SCORE, NO_RESULT } from './sample-result.js';
import { maskResult } from './execute-sample.js';

const masking = { text: (text: string | null) => text && text.replaceAll('secret', '***') } as unknown as MaskingCalls;

describe('a result that is to be stored', () => {
  it('is masked in what all scorers say, together and each', () => {
    const masked = maskResult(masking, {
      ...{ ...NO_RESULT, attempts: 1, output: 'masked before', scoreReason: 'a secret', error: 'tone: secret' },
      scores: {
        exact: { ...NO_SCORE, score: 1, reason: 'secret reason' },
        tone: { ...NO_SCORE, error: 'tone: secret' },
      },
    });
    expect(masked).toMatchObject({ output: 'masked before', scoreReason: 'a ***', error: 'tone: ***' });
    expect(masked.scores).toMatchObject({ exact: { score: 1, reason: '*** reason' }, tone: { error: 'tone: ***' } });
    expect(JSON.stringify(masked)).not.toContain('secret');
  });
});
