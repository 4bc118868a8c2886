import { calcPrice, findProvider } from '@pydantic/genai-prices';
import type { Answered, Counts, ShapeName } from './answers.ts';
import { CLAUDE_PAGES, MISTRAL_PAGES, OLLAMA_PAGES, OPENAI_PAGES, type PagePrice } from './page-prices.ts';

export interface PriceCase extends Answered {
  shape: ShapeName;
  /** When the call began. */
  at: Date;
  /** Dollars. */
  cost: number;
}

type Feature = 'cached' | 'written' | 'hour' | 'audio' | 'images' | 'reasoning' | 'searches' | 'long';

/** Calls whose cost genai-prices counts. */
interface Group {
  provider: string;
  models: string[];
  shapes: ShapeName[];
  features: Feature[];
  rows: number;
}

const GROUPS: Group[] = [
  {
    ...{ provider: 'openai', shapes: ['chat', 'chat stream', 'responses', 'responses stream'], rows: 96 },
    models: [
      'gpt-4o',
      'gpt-4o-2024-08-06',
      'gpt-4o-mini',
      'gpt-4.1',
      'gpt-4.1-nano',
      'gpt-5',
      'gpt-5-mini',
      'gpt-5-nano',
    ],
    features: ['cached', 'reasoning'],
  },
  {
    ...{ provider: 'openai', shapes: ['chat', 'responses stream', 'chat stream', 'responses'], rows: 48 },
    models: ['gpt-5.4', 'gpt-5.5', 'gpt-5.4-pro', 'gpt-5.6-sol', 'gpt-5.6-luna', 'gpt-6-astra'],
    features: ['cached', 'written', 'reasoning', 'long'],
  },
  {
    ...{ provider: 'openai', shapes: ['responses', 'responses stream'], rows: 24 },
    models: ['gpt-4.1', 'gpt-5', 'gpt-5.2', 'o3', 'o4-mini', 'gpt-5.4-mini'],
    features: ['cached', 'searches'],
  },
  {
    ...{ provider: 'openai', shapes: ['chat', 'chat stream'], rows: 30 },
    models: ['gpt-audio', 'gpt-audio-mini', 'gpt-audio-1.5', 'gpt-realtime', 'gpt-realtime-mini'],
    features: ['audio'],
  },
  {
    ...{ provider: 'openai', shapes: ['chat', 'chat stream'], rows: 16 },
    models: ['gpt-realtime', 'gpt-realtime-2'],
    features: ['audio', 'cached', 'images'],
  },
  {
    ...{ provider: 'openai', shapes: ['chat', 'chat stream'], rows: 16 },
    models: ['gpt-image-1', 'gpt-image-1-mini', 'gpt-image-1.5', 'gpt-image-2'],
    features: ['images', 'cached'],
  },
  {
    ...{ provider: 'openai', shapes: ['completions'], rows: 10 },
    models: ['gpt-3.5-turbo-instruct', 'text-davinci-003'],
    features: [],
  },
  {
    ...{ provider: 'openai', shapes: ['embeddings'], rows: 20 },
    models: ['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'],
    features: [],
  },
  {
    ...{ provider: 'anthropic', shapes: ['messages', 'messages stream'], rows: 80 },
    models: [
      ...['claude-3-haiku-20240307', 'claude-3-5-haiku-20241022', 'claude-3-7-sonnet-20250219', 'claude-opus-4-1'],
      ...[
        'claude-haiku-4-5',
        'claude-opus-4-6',
        'claude-opus-5',
        'claude-opus-5-5',
        'claude-sonnet-5',
        'claude-fable-5-1',
      ],
    ],
    features: ['cached', 'written', 'hour', 'reasoning', 'searches'],
  },
  {
    ...{ provider: 'anthropic', shapes: ['messages', 'messages stream'], rows: 12 },
    models: ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
    features: ['cached', 'written', 'hour', 'long'],
  },
  {
    ...{ provider: 'google', shapes: ['chat of Gemini', 'chat stream of Gemini'], rows: 30 },
    models: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite', 'gemini-3-pro-preview', 'gemini-3.8-flash'],
    features: ['cached', 'reasoning', 'long'],
  },
  {
    ...{ provider: 'deepseek', shapes: ['chat of DeepSeek', 'chat stream of DeepSeek'], rows: 20 },
    models: ['deepseek-chat', 'deepseek-reasoner'],
    features: ['cached', 'reasoning'],
  },
  {
    ...{ provider: 'x-ai', shapes: ['chat of xAI', 'chat stream of xAI'], rows: 16 },
    models: ['grok-3-mini', 'grok-4', 'grok-4.5', 'grok-code-fast-1'],
    features: ['cached', 'reasoning', 'long'],
  },
  {
    ...{ provider: 'mistral', shapes: ['chat', 'chat stream'], rows: 8 },
    models: ['mistral-large-2512', 'mistral-small-2603', 'codestral-2508'],
    features: ['cached'],
  },
  {
    ...{ provider: 'groq', shapes: ['chat stream of Groq'], rows: 6 },
    models: ['llama-3.1-8b-instant', 'llama-3.3-70b-versatile'],
    features: [],
  },
  {
    ...{ provider: 'moonshotai', shapes: ['chat stream of Moonshot'], rows: 4 },
    models: ['kimi-k2-0905-preview', 'kimi-k2-thinking'],
    features: ['cached'],
  },
  {
    ...{ provider: 'perplexity', shapes: ['chat', 'chat stream'], rows: 4 },
    models: ['sonar', 'sonar-pro'],
    features: [],
  },
];

const NO_COUNTS: Counts = {
  ...{ input: 0, cached: 0, written: 0, written1h: 0, inputAudio: 0, inputImage: 0 },
  ...{ output: 0, reasoning: 0, outputAudio: 0, outputImage: 0, searches: 0 },
};

/**
 * The calls, always the same ones. Each cost is counted by genai-prices from the counts themselves, or by hand from a page
 * of the provider.
 * @param day a day on which the prices hold, `2026-11-27`.
 */
export function priceCases(day: string): PriceCase[] {
  const draw = drawNumbers(30);
  const hours = ['12:00', '02:30', '09:59', '17:15'];
  const moment = (index: number): Date => new Date(`${day}T${hours[index % hours.length]}:00Z`);
  return [
    ...GROUPS.flatMap((group) =>
      Array.from({ length: group.rows }, (_, index) => countedCase(group, index, moment, draw)),
    ),
    ...pageCases(OPENAI_PAGES, ['chat', 'chat stream', 'responses', 'responses stream'], 2, moment, draw),
    ...pageCases(CLAUDE_PAGES, ['messages', 'messages stream'], 1, moment, draw),
    ...pageCases(MISTRAL_PAGES, ['chat', 'chat stream'], 2, moment, draw),
    ...pageCases(OLLAMA_PAGES.slice(0, 1), ['ollama chat', 'ollama generate'], 2, moment, draw),
    ...pageCases(OLLAMA_PAGES.slice(1), ['ollama embed'], 1, moment, draw),
  ];
}

/** Whole numbers from `from` to `to`, always the same ones. */
type Draw = (from: number, to: number) => number;

function drawNumbers(seed: number): Draw {
  let state = seed;
  return (from, to) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return from + Math.floor((state / 2 ** 32) * (to - from + 1));
  };
}

function countedCase(group: Group, index: number, moment: (index: number) => Date, draw: Draw): PriceCase {
  const model = group.models[index % group.models.length]!;
  const shape = group.shapes[Math.floor(index / group.models.length) % group.shapes.length]!;
  const counts = drawCounts(group.features, shape, index, draw);
  const at = moment(index);
  const usage = {
    ...{ input_tokens: counts.input, cache_read_tokens: counts.cached, cache_write_tokens: counts.written },
    ...{ cache_write_1h_tokens: counts.written1h, input_audio_tokens: counts.inputAudio },
    ...{ input_image_tokens: counts.inputImage, cache_audio_read_tokens: 0, cache_image_read_tokens: 0 },
    ...{ output_tokens: counts.output, output_reasoning_tokens: counts.reasoning },
    ...{
      output_audio_tokens: counts.outputAudio,
      output_image_tokens: counts.outputImage,
      web_searches: counts.searches,
    },
  };
  const provider = findProvider({ providerId: group.provider })!;
  const price = calcPrice(usage, model, { provider, timestamp: at });
  if (!price) throw new Error(`genai-prices has no price of ${model}`);
  return { shape, model, counts, tier: null, at, cost: price.total_price };
}

function pageCases(
  pages: readonly PagePrice[],
  shapes: readonly ShapeName[],
  rowsEach: number,
  moment: (index: number) => Date,
  draw: Draw,
): PriceCase[] {
  return pages.flatMap((page, at) =>
    Array.from({ length: rowsEach }, (_, row) => {
      const shape = shapes[(at * rowsEach + row) % shapes.length]!;
      const counts = drawPageCounts(page, shape, draw);
      return { shape, model: page.model, counts, tier: page.tier, at: moment(row), cost: costByHand(page, counts) };
    }),
  );
}

function costByHand(page: PagePrice, { input, cached, written, written1h, output, searches }: Counts): number {
  const tokens =
    (input - cached - written) * page.input +
    cached * page.cached +
    (written - written1h) * (page.written ?? 0) +
    written1h * (page.written1h ?? 0) +
    output * page.output;
  return tokens / 1e6 + (searches * (page.search ?? 0)) / 1e3;
}

function drawPageCounts(page: PagePrice, shape: ShapeName, draw: Draw): Counts {
  const features: Feature[] = shape.startsWith('ollama') ? [] : ['cached', 'reasoning'];
  if (page.written !== undefined) features.push('written');
  if (page.written1h !== undefined) features.push('hour');
  if (page.search !== undefined && shape.startsWith('responses')) features.push('searches');
  const counts = drawCounts(features, shape, 0, draw);
  const { from = 0, to = Infinity } = page;
  if (counts.input >= from && counts.input <= to) return counts;
  return { ...counts, input: Math.max(from, Math.min(counts.input, to)) };
}

/** Counts of one call: parts are drawn first, so that none is more than what it is a part of. */
function drawCounts(features: readonly Feature[], shape: ShapeName, index: number, draw: Draw): Counts {
  const has = (feature: Feature): boolean => features.includes(feature);
  const isEmbedding = shape === 'embeddings' || shape === 'ollama embed';
  const some = (feature: Feature, most: number): number => (has(feature) ? draw(0, most) : 0);
  const counts = {
    ...NO_COUNTS,
    cached: some('cached', 4_000),
    written: some('written', 3_000),
    inputAudio: some('audio', 900),
    inputImage: some('images', 800),
    searches: some('searches', 4),
  };
  counts.written1h = has('hour') ? draw(0, counts.written) : 0;
  const text = has('long') && index % 2 === 1 ? draw(150_000, 400_000) : draw(1, 5_000);
  counts.input = text + counts.cached + counts.written + counts.inputAudio + counts.inputImage;
  if (isEmbedding) return counts;
  counts.reasoning = some('reasoning', 2_000);
  counts.outputAudio = some('audio', 1_000);
  counts.outputImage = has('images') && !has('audio') ? draw(0, 4_000) : 0;
  counts.output = draw(1, 2_000) + counts.reasoning + counts.outputAudio + counts.outputImage;
  return counts;
}
