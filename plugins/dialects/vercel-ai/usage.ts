import {
  countAt,
  hasAny,
  reportedUsage,
  textAt,
  type OtelMap,
  type ReadUsage,
  amountOf,
  costOfGateway,
  countOf,
  objectOf,
  readGeminiUsage,
  reportedCost,
  saidJson,
  takeAt,
  textOf,
  type JsonObject,
} from '@spandrel/plugin-api';

/**
 * Tokens as the SDK counts them, with what the provider's metadata alone say. Before its version 6 the input is the
 * provider's own count: those of Anthropic and Bedrock leave out the cache, and Gemini's output leaves out its thoughts.
 * Version 7 has the reasoning tokens under its own name, beside GenAI's names of the others.
 */
export function usageOf(attributes: OtelMap): ReadUsage | undefined {
  const counted = countAt(attributes, INPUT);
  const outputTokens = countAt(attributes, OUTPUT);
  const { countedInput, countedOutput, countedPrompt, toolTokens, ...reported } = reportedByProvider(attributes);
  const inputTokens = counted !== undefined && counted === countedPrompt ? counted + (toolTokens ?? 0) : counted;
  const isOwnCount =
    countedInput === undefined
      ? reported.inputExcludesCached === true || OWN_COUNTS.test(textAt(attributes, 'ai.model.provider') ?? '')
      : countedInput === inputTokens;
  return reportedUsage({
    ...reported,
    inputTokens,
    outputTokens,
    totalTokens: countAt(attributes, 'ai.usage.totalTokens'),
    cachedInputTokens: countAt(attributes, CACHED) ?? reported.cachedInputTokens,
    cacheWriteTokens: countAt(attributes, WRITTEN) ?? reported.cacheWriteTokens,
    reasoningTokens: countAt(attributes, REASONING) ?? reported.reasoningTokens,
    inputExcludesCached: isOwnCount && !hasAny(attributes, WITH_CACHE) ? true : undefined,
    outputExcludesReasoning: countedOutput !== undefined && countedOutput === outputTokens ? true : undefined,
  });
}

/** Providers whose own count of the input leaves out what the cache gave and took. */
const OWN_COUNTS = /^(?:anthropic|amazon-bedrock|bedrock|vertex\.anthropic|google\.vertex\.anthropic)/;

const INPUT = ['ai.usage.inputTokens', 'ai.usage.promptTokens', 'ai.usage.tokens', 'gen_ai.usage.input_tokens'];
const OUTPUT = ['ai.usage.outputTokens', 'ai.usage.completionTokens', 'gen_ai.usage.output_tokens'];
const CACHED = [
  'ai.usage.cachedInputTokens',
  'ai.usage.inputTokenDetails.cacheReadTokens',
  'gen_ai.usage.cache_read.input_tokens',
];
const WRITTEN = ['ai.usage.inputTokenDetails.cacheWriteTokens', 'gen_ai.usage.cache_creation.input_tokens'];
const REASONING = ['ai.usage.reasoningTokens', 'ai.usage.outputTokenDetails.reasoningTokens'];
/** What spans have since the input has the cache in it. */
const WITH_CACHE = [
  'ai.usage.inputTokenDetails.noCacheTokens',
  'ai.usage.inputTokenDetails.cacheReadTokens',
  'ai.usage.inputTokenDetails.cacheWriteTokens',
  'gen_ai.operation.name',
];

/** What a provider reported beside what the SDK counts, with its own counts as far as they may be the SDK's. */
interface ReportedByProvider extends ReadUsage {
  /** The provider's own count of the input, which leaves out the cache. */
  readonly countedInput?: number | undefined;
  /** The provider's own count of the prompt, beside which tokens of its tools are input. */
  readonly countedPrompt?: number | undefined;
  readonly toolTokens?: number | undefined;
  /** The provider's own count of the output, which leaves out reasoning. */
  readonly countedOutput?: number | undefined;
}

/** Reads `ai.response.providerMetadata`, JSON text of an object by provider; what several of them report is taken from the first. */
function reportedByProvider(attributes: OtelMap): ReportedByProvider {
  const metadata = objectOf(takeAt(attributes, 'ai.response.providerMetadata', saidJson)?.value);
  const reported: Record<string, unknown> = {};
  for (const [name, read] of READERS) {
    if (metadata[name] === undefined) continue;
    for (const [member, value] of Object.entries(read(objectOf(metadata[name])))) {
      if (value !== null && value !== undefined) reported[member] ??= value;
    }
  }
  return reported as ReportedByProvider;
}

type Read = (metadata: JsonObject) => {
  readonly [Member in keyof ReportedByProvider]: ReportedByProvider[Member] | null;
};

/** Version 4 has the counts of the cache alone, later ones the whole usage beside them. */
const anthropic: Read = ({ usage, cacheReadInputTokens, cacheCreationInputTokens }) => {
  const counts = objectOf(usage);
  return {
    inputExcludesCached: true,
    countedInput: countOf(counts['input_tokens']),
    cachedInputTokens: countOf(cacheReadInputTokens) ?? countOf(counts['cache_read_input_tokens']),
    cacheWriteTokens: countOf(cacheCreationInputTokens) ?? countOf(counts['cache_creation_input_tokens']),
    cacheWrite1hTokens: countOf(objectOf(counts['cache_creation'])['ephemeral_1h_input_tokens']),
    webSearchRequests: countOf(objectOf(counts['server_tool_use'])['web_search_requests']),
    serviceTier: textOf(counts['service_tier']),
  };
};

const bedrock: Read = ({ usage }) => {
  const { cacheReadInputTokens, cacheWriteInputTokens } = objectOf(usage);
  return {
    inputExcludesCached: true,
    cachedInputTokens: countOf(cacheReadInputTokens),
    cacheWriteTokens: countOf(cacheWriteInputTokens),
  };
};

const gemini: Read = ({ usageMetadata }) => {
  const counts = objectOf(usageMetadata);
  const { inputTokens: _input, outputTokens: _output, ...parts } = readGeminiUsage(counts);
  return {
    ...parts,
    countedPrompt: countOf(counts['promptTokenCount']),
    toolTokens: countOf(counts['toolUsePromptTokenCount']),
    countedOutput: countOf(counts['candidatesTokenCount']),
  };
};

const openai: Read = ({ cachedPromptTokens, reasoningTokens, serviceTier }) => ({
  cachedInputTokens: countOf(cachedPromptTokens),
  reasoningTokens: countOf(reasoningTokens),
  serviceTier: textOf(serviceTier),
});

const deepseek: Read = ({ promptCacheHitTokens }) => ({ cachedInputTokens: countOf(promptCacheHitTokens) });

const openrouter: Read = ({ usage }) => {
  const { cost, promptTokensDetails, completionTokensDetails } = objectOf(usage);
  return {
    cost: amountOf(cost),
    cachedInputTokens: countOf(objectOf(promptTokensDetails)['cachedTokens']),
    reasoningTokens: countOf(objectOf(completionTokensDetails)['reasoningTokens']),
  };
};

const xai: Read = ({ costInUsdTicks }) => ({ cost: reportedCost({ cost_in_usd_ticks: costInUsdTicks }) });

const gateway: Read = (metadata) => ({ cost: costOfGateway(metadata) });

const READERS: readonly (readonly [name: string, read: Read])[] = [
  ['anthropic', anthropic],
  ['bedrock', bedrock],
  ['google', gemini],
  ['vertex', gemini],
  ['openai', openai],
  ['azure', openai],
  ['deepseek', deepseek],
  ['openrouter', openrouter],
  ['xai', xai],
  ['gateway', gateway],
];
