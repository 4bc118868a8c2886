/** Prices as pages of providers publish them, in dollars per million tokens: written here by hand, read by no program of ours. */
export interface PagePrice {
  model: string;
  tier: string | null;
  page: string;
  input: number;
  cached: number;
  output: number;
  written?: number;
  written1h?: number;
  /** Dollars per thousand. */
  search?: number;
  /** Input tokens that the prices are for. */
  from?: number;
  to?: number;
}

const FAST = 'https://openai.com/api-priority-processing/';
const OPENAI = 'https://developers.openai.com/api/docs/pricing';
const GEMINI = 'https://ai.google.dev/gemini-api/docs/pricing';
const MISTRAL = 'https://docs.mistral.ai/inference/pricing';
const CLAUDE = 'https://platform.claude.com/docs/en/about-claude/pricing';
const CLAUDE_GEO = 'https://platform.claude.com/docs/en/manage-claude/data-residency';
const CLAUDE_FAST = 'https://platform.claude.com/docs/en/build-with-claude/fast-mode';
const CLAUDE_BATCH = 'https://platform.claude.com/docs/en/build-with-claude/batch-processing';

export const OPENAI_PAGES: PagePrice[] = [
  { model: 'gpt-5', tier: 'priority', page: FAST, input: 2.5, cached: 0.25, output: 20 },
  { model: 'gpt-5', tier: 'flex', page: OPENAI, input: 0.625, cached: 0.0625, output: 5 },
  { model: 'gpt-5', tier: 'batch', page: OPENAI, input: 0.625, cached: 0.0625, output: 5 },
  { model: 'gpt-5', tier: 'default', page: OPENAI, input: 1.25, cached: 0.125, output: 10 },
  { model: 'gpt-5-mini', tier: 'priority', page: FAST, input: 0.45, cached: 0.045, output: 3.6 },
  { model: 'gpt-5.1', tier: 'priority', page: FAST, input: 2.5, cached: 0.25, output: 20 },
  { model: 'gpt-5.2', tier: 'priority', page: FAST, input: 3.5, cached: 0.35, output: 28 },
  { model: 'gpt-5.2', tier: 'flex', page: OPENAI, input: 0.875, cached: 0.0875, output: 7 },
  { model: 'gpt-5.4', tier: 'priority', page: FAST, input: 5, cached: 0.5, output: 30, to: 270_000 },
  { model: 'gpt-5.4-mini', tier: 'priority', page: FAST, input: 1.5, cached: 0.15, output: 9 },
  { model: 'gpt-5.5', tier: 'priority', page: FAST, input: 12.5, cached: 1.25, output: 75, to: 270_000 },
  { model: 'gpt-4.1', tier: 'priority', page: FAST, input: 3.5, cached: 0.875, output: 14 },
  { model: 'gpt-4.1-mini', tier: 'priority', page: FAST, input: 0.7, cached: 0.175, output: 2.8 },
  { model: 'gpt-4.1-nano', tier: 'priority', page: FAST, input: 0.2, cached: 0.05, output: 0.8 },
  { model: 'gpt-4o', tier: 'priority', page: FAST, input: 4.25, cached: 2.125, output: 17 },
  { model: 'gpt-4o-mini', tier: 'priority', page: FAST, input: 0.25, cached: 0.125, output: 1 },
  { model: 'o3', tier: 'priority', page: FAST, input: 3.5, cached: 0.875, output: 14 },
  { model: 'o3', tier: 'flex', page: OPENAI, input: 1, cached: 0.25, output: 4 },
  { model: 'o4-mini', tier: 'priority', page: FAST, input: 2, cached: 0.5, output: 8 },
  {
    model: 'gpt-6.1-sol',
    tier: null,
    page: OPENAI,
    input: 2,
    cached: 0.1,
    written: 2.5,
    output: 10,
    search: 10,
    to: 272_000,
  },
  {
    model: 'gpt-6.1-sol',
    tier: 'fast',
    page: OPENAI,
    input: 4,
    cached: 0.2,
    written: 5,
    output: 20,
    search: 10,
    to: 272_000,
  },
  {
    model: 'gpt-6.1-sol',
    tier: null,
    page: OPENAI,
    input: 4,
    cached: 0.2,
    written: 5,
    output: 15,
    search: 10,
    from: 272_001,
  },
  { model: 'gpt-6.1-terra', tier: null, page: OPENAI, input: 1, cached: 0.05, written: 1.25, output: 5, to: 272_000 },
  { model: 'gpt-6.1-terra', tier: 'fast', page: OPENAI, input: 4, cached: 0.2, written: 5, output: 15, from: 272_001 },
  { model: 'gpt-6.2-astra', tier: null, page: OPENAI, input: 8, cached: 0.4, written: 10, output: 40, to: 272_000 },
  { model: 'gpt-6.2-astra', tier: 'fast', page: OPENAI, input: 16, cached: 0.8, written: 20, output: 80, to: 272_000 },
  { model: 'gpt-6.2-astra', tier: null, page: OPENAI, input: 16, cached: 0.8, written: 20, output: 60, from: 272_001 },
  { model: 'gpt-6-luna', tier: 'fast', page: OPENAI, input: 0.2, cached: 0.02, written: 0.25, output: 1, to: 272_000 },
  {
    model: 'gpt-6-astra',
    tier: 'ultrafast',
    page: OPENAI,
    input: 60,
    cached: 6,
    written: 75,
    output: 300,
    to: 271_999,
  },
  {
    model: 'gpt-6.2-sol',
    tier: 'ultrafast',
    page: OPENAI,
    input: 6,
    cached: 0.3,
    written: 7.5,
    output: 30,
    to: 272_000,
  },
  { model: 'ft:gpt-4.1-mini-2025-04-14:acme::A1', tier: null, page: OPENAI, input: 0.8, cached: 0.2, output: 3.2 },
  { model: 'ft:gpt-4o-2024-08-06:acme:tides:A2', tier: null, page: OPENAI, input: 3.75, cached: 1.875, output: 15 },
];

/** Service tiers whose parts do not all change by one factor. */
export const UNEVEN_TIERS: PagePrice[] = [
  { model: 'ft:gpt-4.1-2025-04-14:acme::A1', tier: 'batch', page: OPENAI, input: 1.5, cached: 0.5, output: 6 },
  { model: 'ft:gpt-4o-2024-08-06:acme::A2', tier: 'batch', page: OPENAI, input: 2.225, cached: 0.9, output: 12.5 },
  { model: 'ft:gpt-4o-mini-2024-07-18:acme::A3', tier: 'batch', page: OPENAI, input: 0.15, cached: 0.075, output: 0.6 },
  { model: 'gemini-2.5-flash', tier: 'flex', page: GEMINI, input: 0.15, cached: 0.03, output: 1.25 },
  { model: 'gemini-2.5-flash', tier: 'batch', page: GEMINI, input: 0.15, cached: 0.03, output: 1.25 },
  { model: 'gemini-2.5-flash', tier: 'priority', page: GEMINI, input: 0.54, cached: 0.054, output: 4.5 },
  { model: 'gemini-2.5-pro', tier: 'flex', page: GEMINI, input: 0.625, cached: 0.125, output: 5, to: 200_000 },
  { model: 'gemini-2.5-pro', tier: 'priority', page: GEMINI, input: 2.25, cached: 0.225, output: 18, to: 200_000 },
  { model: 'gemini-2.5-pro', tier: 'priority', page: GEMINI, input: 4.5, cached: 0.45, output: 27, from: 200_001 },
];

export const CLAUDE_PAGES: PagePrice[] = [
  {
    model: 'claude-opus-4-6',
    tier: 'fast',
    page: CLAUDE_FAST,
    input: 30,
    cached: 3,
    written: 37.5,
    written1h: 60,
    output: 150,
  },
  {
    model: 'claude-opus-4-6',
    tier: 'us',
    page: CLAUDE_GEO,
    input: 5.5,
    cached: 0.55,
    written: 6.875,
    written1h: 11,
    output: 27.5,
  },
  {
    model: 'claude-opus-5',
    tier: 'fast+us',
    page: CLAUDE_GEO,
    input: 11,
    cached: 1.1,
    written: 13.75,
    written1h: 22,
    output: 55,
  },
  {
    model: 'claude-opus-5',
    tier: 'fast',
    page: CLAUDE_FAST,
    input: 10,
    cached: 1,
    written: 12.5,
    written1h: 20,
    output: 50,
  },
  {
    model: 'claude-opus-5',
    tier: 'batch',
    page: CLAUDE_BATCH,
    input: 2.5,
    cached: 0.25,
    written: 3.125,
    written1h: 5,
    output: 12.5,
  },
  {
    model: 'claude-haiku-4-5',
    tier: 'batch',
    page: CLAUDE_BATCH,
    input: 0.5,
    cached: 0.05,
    written: 0.625,
    written1h: 1,
    output: 2.5,
  },
  {
    model: 'claude-sonnet-4-6',
    tier: 'batch',
    page: CLAUDE_BATCH,
    input: 1.5,
    cached: 0.15,
    written: 1.875,
    written1h: 3,
    output: 7.5,
  },
  {
    model: 'claude-sonnet-5-5',
    tier: null,
    page: CLAUDE,
    input: 2,
    cached: 0.1,
    written: 2.5,
    written1h: 4,
    output: 10,
  },
  {
    model: 'claude-fable-5-2',
    tier: null,
    page: CLAUDE,
    input: 8,
    cached: 0.2,
    written: 10,
    written1h: 16,
    output: 40,
  },
  {
    model: 'claude-haiku-5-5',
    tier: null,
    page: CLAUDE,
    input: 0.1,
    cached: 0.01,
    written: 0.125,
    written1h: 0.2,
    output: 0.5,
    to: 100_000,
  },
  {
    model: 'claude-haiku-5-5',
    tier: null,
    page: CLAUDE,
    input: 0.5,
    cached: 0.05,
    written: 0.625,
    written1h: 1,
    output: 2.5,
    from: 100_001,
  },
];

/** Ollama serves models of one's own machine: their prices are what the configuration says. */
export const MISTRAL_PAGES: PagePrice[] = [
  { model: 'mistral-large-latest', tier: null, page: MISTRAL, input: 0.5, cached: 0.05, output: 1.5 },
  { model: 'mistral-small-latest', tier: null, page: MISTRAL, input: 0.15, cached: 0.015, output: 0.6 },
  { model: 'mistral-medium-2604', tier: null, page: MISTRAL, input: 1.5, cached: 0.15, output: 7.5 },
  { model: 'codestral-latest', tier: null, page: MISTRAL, input: 0.3, cached: 0.03, output: 0.9 },
];

export const OLLAMA_PAGES: PagePrice[] = [
  { model: 'llama3.2:3b', tier: null, page: 'pricing.models', input: 0.06, cached: 0.06, output: 0.12 },
  { model: 'nomic-embed-text', tier: null, page: 'pricing.models', input: 0.008, cached: 0.008, output: 0 },
];
