/** Costs of 500 answers, to a billionth of a dollar (docs/spec/recording.md#price). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { estimateCost, loadPricing } from '@spandrel/tracing';
import { SHAPES, type Shape } from './answers.ts';
import { OLLAMA_PAGES, UNEVEN_TIERS } from './page-prices.ts';
import { priceCases, type PriceCase } from './price-cases.ts';

const table = JSON.parse(readFileSync('config/pricing/models.json', 'utf8')) as { as_of: string };
const cases = priceCases(table.as_of);
const own = OLLAMA_PAGES.map(({ model, input, output }) => [model, { input, output }] as const);
const pricing = loadPricing(Object.fromEntries(own));

function readAnswer(of: PriceCase) {
  const shape: Shape = SHAPES[of.shape];
  if ('whole' in shape) return shape.endpoint.readAnswer(JSON.parse(JSON.stringify(shape.whole(of))));
  const reader = shape.endpoint.readStream();
  for (const frame of shape.frames(of)) reader.push(frame);
  return reader.answer();
}

describe('the cost of an answer', () => {
  it('is tried with at least 500 answers, each shape among them', () => {
    expect(cases.length).toBeGreaterThanOrEqual(500);
    expect(new Set(cases.map(({ shape }) => shape))).toEqual(new Set(Object.keys(SHAPES)));
  });

  it.each([...Map.groupBy(cases, ({ shape }) => shape)])(
    'is right to a billionth of a dollar at %s',
    (_shape, answers) => {
      const wrong = answers.flatMap((answer) => {
        const { usage } = readAnswer(answer);
        const cost = estimateCost(pricing, answer.model, usage, answer.at.getTime());
        return cost !== null && Math.abs(cost - answer.cost) < 1e-9 ? [] : [{ ...answer, usage, found: cost }];
      });
      expect(wrong).toEqual([]);
    },
  );

  it('is that of the hours of peak at DeepSeek on weekdays alone', () => {
    const usage = { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 100_000, reasoningTokens: 0 };
    const cost = (at: string) => estimateCost(pricing, 'deepseek-flash', usage, Date.parse(at));
    expect(cost('2026-11-27T02:30:00Z')).toBeCloseTo(0.6 * 0.3 + 0.4 * 0.006 + 0.1 * 1.2, 9);
    expect(cost('2026-11-27T05:00:00Z')).toBeCloseTo(0.6 * 0.15 + 0.4 * 0.003 + 0.1 * 0.6, 9);
    expect(cost('2026-11-28T02:30:00Z')).toBeCloseTo(0.6 * 0.15 + 0.4 * 0.003 + 0.1 * 0.6, 9);
  });

  it('is that of twelve hours in a cache of OpenAI', () => {
    const written = { cacheWriteTokens: 60_000, cacheWrite1hTokens: 40_000 };
    const usage = { inputTokens: 100_000, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0, ...written };
    const cost = (model: string) => estimateCost(pricing, model, usage, Date.parse(table.as_of));
    expect(cost('gpt-6.2-sol')).toBeCloseTo(0.04 * 2 + 0.02 * 2.5 + 0.04 * 5, 9);
    expect(cost('gpt-6.1-terra')).toBeCloseTo(0.04 * 1 + 0.02 * 1.25 + 0.04 * 2.5, 9);
    expect(cost('gpt-6.2-astra')).toBeCloseTo(0.04 * 8 + 0.02 * 10 + 0.04 * 20, 9);
  });

  it('is that of GPT Image 2 for the models of GPT Image 2.5', () => {
    const images = { inputImageTokens: 400_000, cachedImageTokens: 0 };
    const usage = {
      inputTokens: 1_000_000,
      outputTokens: 100_000,
      cachedInputTokens: 0,
      reasoningTokens: 0,
      ...images,
    };
    for (const model of ['gpt-image-2', 'gpt-image-2.5-flare', 'gpt-image-2.5-sunburst-2026-09-08']) {
      const cost = estimateCost(pricing, model, usage, Date.parse(table.as_of));
      expect(cost).toBeCloseTo(0.6 * 5 + 0.4 * 8 + 0.1 * 30, 9);
    }
  });

  it('is that of Gemini 4, of which two models cost the double since December', () => {
    const usage = { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 100_000, reasoningTokens: 0 };
    const cost = (model: string, at: string) => estimateCost(pricing, model, usage, Date.parse(at));
    for (const model of ['gemini-4-argon', 'gemini-4-carbon']) {
      expect(cost(model, '2026-11-30T23:00:00Z')).toBeCloseTo(0.6 * 2 + 0.4 * 0.1 + 0.1 * 10, 9);
      expect(cost(model, '2026-12-01T01:00:00Z')).toBeCloseTo(0.6 * 4 + 0.4 * 0.2 + 0.1 * 20, 9);
    }
    expect(cost('gemini-4-neon', '2026-11-30T23:00:00Z')).toBeCloseTo(0.6 * 3 + 0.4 * 0.15 + 0.1 * 15, 9);
    expect(cost('gemini-4-hydrogen', '2026-11-30T23:00:00Z')).toBeCloseTo(0.6 * 1.5 + 0.4 * 0.075 + 0.1 * 7.5, 9);
  });

  it.each(UNEVEN_TIERS)(
    'is that of its page: $model, $tier',
    ({ model, tier, input, cached, output, from = 1_000 }) => {
      const usage = {
        inputTokens: from,
        cachedInputTokens: 400,
        outputTokens: 70,
        reasoningTokens: 0,
        serviceTier: tier,
      };
      const cost = ((from - 400) * input + 400 * cached + 70 * output) / 1e6;
      expect(estimateCost(pricing, model, usage, Date.parse(table.as_of))).toBeCloseTo(cost, 9);
    },
  );
});
