import { usageOf, type Usage } from '../chat.js';
import { responsesEndpoint } from '../openai-format/responses-endpoint.js';
import type { Endpoint, RecordedAnswer, StreamFrame, StreamReader } from '../provider.js';
import { embeddedErrorOf, errorOfFrame } from '../wire/error-message.js';
import { countOf, listOf, objectOf, readExactJson, textOf, type JsonObject } from '../wire/lenient-json.js';
import { contentTextOf, reasoningText } from '../wire/messages.js';
import { readGeminiUsage } from './content.js';

/** Gemini's Interactions API: its steps are read as items of Responses. An agent that is asked stands in the place of the model. */
export const interactionsEndpoint: Endpoint = {
  name: 'interactions',
  framing: 'sse',
  readRequest(body) {
    const { agent, input, system_instruction: instructions, ...rest } = objectOf(body);
    const items = Array.isArray(input) ? input.map(itemOf) : input;
    return responsesEndpoint.readRequest({ model: agent, ...rest, instructions, input: items });
  },
  readAnswer(body) {
    const { steps, usage, ...rest } = objectOf(body);
    const answer = responsesEndpoint.readAnswer({ ...rest, output: listOf(steps).map(itemOf) });
    const failed = listOf(steps).find((step) => Boolean(objectOf(step)['error']));
    return {
      ...answer,
      usage: readUsage({ ...objectOf(usage), service_tier: rest['service_tier'] }),
      error: embeddedErrorOf(failed) ?? answer.error,
    };
  },
  readStream: () => new InteractionStream(),
};

function itemOf(step: unknown): JsonObject {
  const { server_name: server, result, ...item } = objectOf(step);
  const type = textOf(item['type']) ?? '';
  if (type === 'thought') return { ...item, type: 'reasoning' };
  if (type === 'user_input') return { ...item, type: 'message', role: 'user' };
  if (type === 'model_output') return { ...item, type: 'message', role: 'assistant' };
  if (type.endsWith('_result')) return { ...item, type: type.replace(/result$/, 'output'), output: result };
  return server === undefined ? item : { ...item, server_label: server };
}

function readUsage(usage: JsonObject): Usage {
  const kinds = (of: string) =>
    listOf(usage[`${of}_tokens_by_modality`])
      .map(objectOf)
      .map(({ modality, tokens }) => ({ modality: textOf(modality)?.toUpperCase(), tokenCount: tokens }));
  const tools = listOf(usage['grounding_tool_count']).map(objectOf);
  const read = readGeminiUsage({
    promptTokenCount: usage['total_input_tokens'],
    toolUsePromptTokenCount: usage['total_tool_use_tokens'],
    candidatesTokenCount: usage['total_output_tokens'],
    thoughtsTokenCount: usage['total_thought_tokens'],
    cachedContentTokenCount: usage['total_cached_tokens'],
    totalTokenCount: usage['total_tokens'],
    promptTokensDetails: kinds('input'),
    toolUsePromptTokensDetails: kinds('tool_use'),
    candidatesTokensDetails: kinds('output'),
    cacheTokensDetails: kinds('cached'),
    serviceTier: usage['service_tier'],
  });
  return usageOf({
    ...read,
    webSearchRequests: countOf(tools.find(({ type }) => type === 'google_search')?.['count']),
  });
}

const UNDER_WAY = ['queued', 'in_progress'];

/** Reads a stream: steps with the pieces that come after them, until the interaction is over. */
class InteractionStream implements StreamReader {
  started = false;
  ended = false;
  private interaction: JsonObject = {};
  private error: string | null = null;
  private readonly steps = new Map<number, Record<string, unknown>>();

  push(frame: StreamFrame): void {
    const parsed = readExactJson(frame.data);
    const { event_type: type, interaction, index, step, delta, status, usage: own, metadata } = objectOf(parsed);
    this.error = errorOfFrame(frame, parsed) ?? this.error;
    const usage = own ?? objectOf(metadata)['total_usage'];
    const reported = { ...(textOf(status) !== null && { status }), ...(objectOf(usage) === usage && { usage }) };
    this.interaction = { ...this.interaction, ...reported, ...objectOf(interaction) };
    this.ended ||= type === 'interaction.completed' || !UNDER_WAY.includes(textOf(status) ?? 'queued');
    const at = countOf(index) ?? 0;
    if (step !== undefined) this.steps.set(at, { ...objectOf(step) });
    if (delta !== undefined) this.pushDelta(this.steps.get(at) ?? {}, objectOf(delta));
  }

  answer(): RecordedAnswer {
    const { steps } = this.interaction;
    const whole = listOf(steps).length > 0 ? steps : [...this.steps.values()];
    const answer = interactionsEndpoint.readAnswer({ ...this.interaction, steps: whole });
    return { ...answer, finishReason: this.ended ? answer.finishReason : null, error: answer.error ?? this.error };
  }

  private pushDelta(step: Record<string, unknown>, delta: JsonObject): void {
    const { type, ...given } = delta;
    const piece = textOf(given['arguments']);
    if (type === 'text') step['content'] = (contentTextOf(step['content']) ?? '') + (textOf(given['text']) ?? '');
    else if (type === 'thought_summary')
      step['summary'] = [reasoningText(step['summary']) + reasoningText(given['content'])];
    else if (piece !== null) step['arguments'] = (textOf(step['arguments']) ?? '') + piece;
    else if (type === step['type']) Object.assign(step, given);
    this.started ||= type !== 'thought_signature' && !textOf(type)?.endsWith('_result');
  }
}
