import {
  amountOf,
  countOf,
  listOf,
  objectOf,
  saidJson,
  takeAt,
  textOf,
  type JsonObject,
  type OtelMap,
  type ReadUsage,
} from '@spandrel/plugin-api';

/** What a provider reported beside what the SDK counts, with its own counts as far as they may be the SDK's. */
export interface ReportedByProvider extends ReadUsage {
  /** The provider's own count of the input, which leaves out the cache. */
  readonly countedInput?: number | undefined;
  /** The provider's own count of the output, which leaves out reasoning. */
  readonly countedOutput?: number | undefined;
}

const METADATA = ['ai.response.providerMetadata'];

/** Reads `ai.response.providerMetadata`, JSON text of an object by provider; what several of them report is taken from the first. */
export function reportedByProvider(attributes: OtelMap): ReportedByProvider {
  const metadata = objectOf(takeAt(attributes, METADATA, saidJson)?.value);
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
  return {
    cachedInputTokens: countOf(counts['cachedContentTokenCount']),
    reasoningTokens: countOf(counts['thoughtsTokenCount']),
    countedOutput: countOf(counts['candidatesTokenCount']),
    inputAudioTokens: ofModality(counts['promptTokensDetails'], 'AUDIO'),
    inputImageTokens: ofModality(counts['promptTokensDetails'], 'IMAGE'),
    outputAudioTokens: ofModality(counts['candidatesTokensDetails'], 'AUDIO'),
    outputImageTokens: ofModality(counts['candidatesTokensDetails'], 'IMAGE'),
    serviceTier: textOf(counts['serviceTier']),
  };
};

function ofModality(details: unknown, modality: string): number | null {
  const detail = listOf(details).find((one) => objectOf(one)['modality'] === modality);
  return countOf(objectOf(detail)['tokenCount']);
}

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

const gateway: Read = ({ cost }) => ({ cost: amountOf(cost) });

const READERS: readonly (readonly [name: string, read: Read])[] = [
  ['anthropic', anthropic],
  ['bedrock', bedrock],
  ['google', gemini],
  ['vertex', gemini],
  ['openai', openai],
  ['azure', openai],
  ['deepseek', deepseek],
  ['openrouter', openrouter],
  ['gateway', gateway],
];
