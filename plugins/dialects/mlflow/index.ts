import {
  completionOfAnswer,
  defineDialect,
  kindOfType,
  objectOf,
  promptOfRequest,
  saidJson,
  takeAt,
  takeMembers,
  textOf,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
  type SpanReading,
  amountOf,
  countOf,
  reportedOpenAiUsage,
  reportedUsage,
  type ReadUsage,
} from '@spandrel/plugin-api';

/** MLflow's tracing, which writes every value as JSON text, texts in their quotes too (docs/spec/otlp.md#mlflow). */
export default defineDialect({
  name: 'mlflow',
  setup: () => ({ claims: { attributes: ['mlflow.*'] }, read }),
});

function read({ attributes, name }: OtelSpan): SpanReading {
  const kind = kindOf(attributes, name);
  const [given, gave] = [takeAt(attributes, INPUTS, saidJson), takeAt(attributes, OUTPUTS, saidJson)];
  const isModels = kind?.type === 'llm_call' || kind?.type === 'embedding';
  return {
    kind,
    // Older versions have the model and the details of tokens in the call alone.
    model:
      jsonTextAt(attributes, 'mlflow.llm.model') ??
      (isModels ? textOf(objectOf(given?.value)['model']) || undefined : undefined),
    provider: jsonTextAt(attributes, 'mlflow.llm.provider'),
    usage: usageOf(attributes, isModels ? objectOf(gave?.value)['usage'] : undefined),
    input: given && kind?.type === 'llm_call' ? promptOfRequest(given) : given,
    output: gave && kind?.type === 'llm_call' ? completionOfAnswer(gave) : gave,
    session: idIn(attributes, 'mlflow.trace.session'),
    user: idIn(attributes, 'mlflow.trace.user'),
    traceMetadata: takeMembers(attributes, 'mlflow.traceTag.', undefined, saidJson),
  };
}

const INPUTS = 'mlflow.spanInputs';
const OUTPUTS = 'mlflow.spanOutputs';

/** A text, in JSON's quotes or not. */
function jsonTextAt(attributes: OtelMap, name: string): string | undefined {
  return textOf(takeAt(attributes, name, saidJson)?.value) || undefined;
}

/** An id: a text, in JSON's quotes or not, or a whole number. */
function idIn(attributes: OtelMap, name: string): string | undefined {
  const value = takeAt(attributes, name, saidJson)?.value;
  return textOf(value) || (Number.isSafeInteger(value) ? String(value) : undefined);
}

function kindOf(attributes: OtelMap, spanName: string): ReadKind | undefined {
  const reported = jsonTextAt(attributes, 'mlflow.spanType');
  return reported === undefined
    ? undefined
    : kindOfType(reported, jsonTextAt(attributes, 'mlflow.spanFunctionName') ?? spanName);
}

/** Tokens of OpenAI's answer, else of `mlflow.chat.tokenUsage`; the cost of `mlflow.llm.cost`, whole or its total. */
function usageOf(attributes: OtelMap, answered: unknown): ReadUsage | undefined {
  const cost = costOf(attributes);
  const whole = reportedOpenAiUsage(answered);
  if (whole) return { ...whole, ...(cost !== undefined && { cost }) };
  const counts = objectOf(takeAt(attributes, 'mlflow.chat.tokenUsage', saidJson)?.value);
  // Anthropic's own count leaves out what the cache gave and took, which newer versions add.
  const own = objectOf(answered)['input_tokens'] ?? counts['input_tokens'];
  const isOwnCount = jsonTextAt(attributes, 'mlflow.message.format') === 'anthropic' && own === counts['input_tokens'];
  return reportedUsage({
    inputTokens: countOf(counts['input_tokens']) ?? undefined,
    outputTokens: countOf(counts['output_tokens']) ?? undefined,
    totalTokens: countOf(counts['total_tokens']) ?? undefined,
    cachedInputTokens: countOf(counts['cache_read_input_tokens']) ?? undefined,
    cacheWriteTokens: countOf(counts['cache_creation_input_tokens']) ?? undefined,
    inputExcludesCached: isOwnCount ? true : undefined,
    cost,
  });
}

function costOf(attributes: OtelMap): number | undefined {
  const whole = objectOf(takeAt(attributes, 'mlflow.llm.cost', saidJson)?.value)['total_cost'];
  const cost = whole ?? takeAt(attributes, 'mlflow.llm.cost.total_cost', saidJson)?.value;
  return amountOf(cost) ?? undefined;
}
