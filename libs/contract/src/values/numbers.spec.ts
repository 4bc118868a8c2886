import { describe, expect, it } from '@jest/globals';
import { createCaptureRuleSchema } from '../capture-rules.js';
import { createDatapointSchema } from '../datasets.js';
import { evalConfigSchema } from '../evals.js';
import { parseExactJson } from './exact-json.js';
import { spanKindSchema } from '../spans.js';

/** 0.7 as programs write it that write all 17 digits (C's `%.17g`, PHP, .NET Framework). */
const ALL_DIGITS = '0.69999999999999996';
const TOO_MANY = '0.333333333333333333333333';

const rule = (rate: string) =>
  createCaptureRuleSchema.safeParse(
    parseExactJson(`{"name":"r","sample_rate":${rate},"filters":{"min_cost":${rate},"min_tokens":${rate}}}`),
  );

describe('a number with more digits than it needs', () => {
  it('is the double that it means, where a double is kept', () => {
    expect(rule(ALL_DIGITS).data).toMatchObject({ sample_rate: 0.7, filters: { min_cost: 0.7, min_tokens: 0.7 } });
    const config = parseExactJson(`{"connection_id":"c","temperature":${ALL_DIGITS},"max_tokens":7}`);
    expect(evalConfigSchema.parse(config)).toMatchObject({ temperature: 0.7, max_tokens: 7 });
  });

  it('is refused where a double is kept and is not what was sent', () => {
    expect(rule(TOO_MANY).error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
      ['filters.min_cost', 'must not have more than 17 significant digits'],
      ['filters.min_tokens', 'must not have more than 17 significant digits'],
      ['sample_rate', 'must not have more than 17 significant digits'],
    ]);
    expect(rule('-0.00000000000000000000000000001').success).toBe(false);
    expect(rule('1.0000000000000002').success).toBe(false);
    expect(rule('9007199254740993').success).toBe(false);
  });

  it.each([ALL_DIGITS, TOO_MANY])('is kept as it was sent in a payload: %s', (number) => {
    const datapoint = `{"kind":{"Generic":{"input":1,"score":${number}}}}`;
    expect(JSON.stringify(createDatapointSchema.parse(parseExactJson(datapoint)))).toBe(datapoint);
    const kind = `{"type":"llm_call","model":"m","cost":${number}}`;
    expect(JSON.stringify(spanKindSchema.parse(parseExactJson(kind)))).toBe(kind);
  });

  it('is held to its range all the same', () => {
    expect(
      createDatapointSchema.safeParse(parseExactJson('{"kind":{"Generic":{"input":1,"score":1.0000000000000002}}}'))
        .success,
    ).toBe(false);
    for (const member of ['"cost":-0.00000000000000000000001', '"input_tokens":9007199254740993']) {
      const kind = parseExactJson(`{"type":"llm_call","model":"m",${member}}`);
      expect(spanKindSchema.safeParse(kind).success).toBe(false);
    }
  });
});
