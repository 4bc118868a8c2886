import type { ToolCall, Usage } from '../chat.js';
import { setMember } from '../dialect/attribute-values.js';
import { conversationOf } from '../dialect/conversation.js';
import { reportedUsage, type ReadUsage } from '../dialect/dialect.js';
import type { RecordedRequest } from '../provider.js';
import { countOf, filledTextOf, listOf, objectOf, textOf, without, type JsonObject } from '../wire/lenient-json.js';

/** A member of a message in protobuf's JSON, which clients write in either form: `clientContent`, `client_content`. */
export const protobufMember = (object: JsonObject, name: string): unknown =>
  object[name] ?? object[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];

const SYSTEM = ['systemInstruction', 'system_instruction'];
const RESUMPTION = ['sessionResumption', 'session_resumption'];

/** Models are named with what they are of: `models/NAME`, `projects/…/models/NAME`. The handle of a session lets in those who know it. */
export function readGeminiRequest(body: unknown): RecordedRequest {
  const request = objectOf(body);
  const parameters: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request)) {
    if (name === 'model' || name === 'contents' || SYSTEM.includes(name)) continue;
    parameters[name] = RESUMPTION.includes(name) ? without(objectOf(value), 'handle') : value;
  }
  return {
    model: textOf(request['model'])?.split('/').at(-1) ?? null,
    input: conversationOf(request['contents'], protobufMember(request, 'systemInstruction')),
    streaming: true,
    parameters,
  };
}

/** What a model says, as far as it has come: the parts of contents. Its thoughts are parts with a mark. */
export class SaidParts {
  /** Whether there is text, a thought, a call, or a picture or sound. */
  started = false;
  text = '';
  reasoning = '';
  readonly toolCalls: ToolCall[] = [];

  push(content: unknown): void {
    for (const part of listOf(objectOf(content)['parts'])) this.pushPart(objectOf(part));
  }

  /**
   * A call of the client's tool, or one of Google's own, which has a type instead of a name; pieces of its arguments follow without
   * either.
   */
  pushCall({ id, name, toolType, args, partialArgs }: JsonObject): void {
    const named = textOf(name) ?? textOf(toolType);
    const begun = named === null ? this.toolCalls.at(-1) : undefined;
    const call = begun ?? { id: filledTextOf(id), name: named ?? '', arguments: args ?? null };
    call.arguments = withPieces(call.arguments, listOf(partialArgs));
    if (begun === undefined) this.toolCalls.push(call);
    this.started = true;
  }

  private pushPart(part: JsonObject): void {
    const text = textOf(part['text']) ?? textOf(objectOf(part['audioTranscription'])['text']) ?? '';
    if (part['thought'] === true) this.reasoning += text;
    else this.text += text;
    const call = part['functionCall'] ?? part['toolCall'];
    if (call !== undefined) this.pushCall(objectOf(call));
    const code = part['executableCode'];
    if (code !== undefined) this.pushCall({ name: 'code_execution', args: code });
    if (text !== '' || part['inlineData'] !== undefined) this.started = true;
  }
}

/** Arguments with more pieces by their paths, `$.harbour`; of a deeper one the path is the name. */
function withPieces(given: unknown, pieces: readonly unknown[]): unknown {
  if (pieces.length === 0) return given;
  const args: Record<string, unknown> = { ...objectOf(given) };
  for (const { jsonPath, stringValue, numberValue, boolValue } of pieces.map(objectOf)) {
    const name = (textOf(jsonPath) ?? '').replace(/^\$\.?/, '');
    const text = textOf(stringValue);
    setMember(args, name, text === null ? (numberValue ?? boolValue ?? null) : (textOf(args[name]) ?? '') + text);
  }
  return args;
}

/**
 * Reads a `usageMetadata` of Gemini's API (docs/spec/recording.md#where-answers-have-it), also in the names that it has in Python.
 * What tools gave back is input beside the prompt, thoughts are output beside the answer.
 */
export function readGeminiUsage(value: unknown): Partial<Usage> {
  const usage = objectOf(value);
  const member = (name: string): unknown => protobufMember(usage, name);
  const count = (name: string): number | null => countOf(member(name));
  const [prompt, total, thoughts] = [count('promptTokenCount'), count('totalTokenCount'), count('thoughtsTokenCount')];
  const [spoken, answered] = [count('responseTokenCount'), count('candidatesTokenCount')];
  const input = prompt === null ? null : prompt + (count('toolUsePromptTokenCount') ?? 0);
  const said = spoken ?? answered;
  const known = said === null && thoughts === null ? null : (said ?? 0) + (thoughts ?? 0);
  const beside = input !== null && total !== null && total >= input ? total - input : null;
  const asked = [member('promptTokensDetails'), member('toolUsePromptTokensDetails')];
  const answers = [member('responseTokensDetails') ?? member('candidatesTokensDetails')];
  const cached = [member('cacheTokensDetails')];
  // Live sessions leave thoughts out of the total; others have all in it, and some of them the thoughts in the answer.
  const least = spoken === null && answered !== null ? answered : (known ?? 0);
  return {
    inputTokens: input,
    outputTokens: beside === null ? known : Math.max(least, beside),
    cachedInputTokens: count('cachedContentTokenCount'),
    reasoningTokens: thoughts,
    inputAudioTokens: tokensOf(asked, AUDIO),
    inputImageTokens: tokensOf(asked, PICTURES),
    outputAudioTokens: tokensOf(answers, AUDIO),
    outputImageTokens: tokensOf(answers, PICTURES),
    cachedAudioTokens: tokensOf(cached, AUDIO),
    cachedImageTokens: tokensOf(cached, PICTURES),
    serviceTier: textOf(member('serviceTier') ?? member('trafficType'))?.toLowerCase(),
  };
}

/** A `usageMetadata` as the usage of a span; `undefined` where it reports no tokens. */
export const reportedGeminiUsage = (value: unknown): ReadUsage | undefined =>
  reportedUsage(Object.fromEntries(Object.entries(readGeminiUsage(value)).filter(([, count]) => count !== null)));

/** The searches that Google bills: empty and repeated queries are free. */
export const searchesOf = (groundingMetadata: unknown): number | null =>
  new Set(listOf(objectOf(groundingMetadata)['webSearchQueries']).filter((query) => filledTextOf(query))).size || null;

const AUDIO = ['AUDIO'];
/** A video is read as pictures. */
const PICTURES = ['IMAGE', 'VIDEO'];

/** The tokens of some kinds in lists of `{modality, tokenCount}`; `null` where no list has one. */
function tokensOf(lists: readonly unknown[], kinds: readonly unknown[]): number | null {
  const found = lists
    .flatMap(listOf)
    .map(objectOf)
    .filter(({ modality }) => kinds.includes(modality));
  return found.length === 0
    ? null
    : found.reduce((sum, detail) => sum + (countOf(protobufMember(detail, 'tokenCount')) ?? 0), 0);
}
