import { laterUsage, UNKNOWN_USAGE, type ToolCall, type Usage } from '../chat.js';
import { conversationOf } from '../dialect/conversation.js';
import type { Endpoint, RecordedAnswer, RecordedRequest, RequestHead, StreamFrame, StreamReader } from '../provider.js';
import { embeddedErrorOf } from '../wire/error-message.js';
import {
  countOf,
  filledTextOf,
  listOf,
  objectOf,
  readExactJson,
  textOf,
  without,
  type JsonObject,
} from '../wire/lenient-json.js';

/**
 * Turns of a session of Gemini's Live API, each as the gateway puts it together (docs/spec/gateway.md#websockets): the request is what
 * the session was set up with and its `contents`, the answer the server's messages.
 */
export const geminiLiveEndpoint: Endpoint = {
  name: 'live',
  framing: 'sse',
  readRequest,
  readAnswer: (body) => {
    const turn = new LiveTurn();
    turn.push({ data: JSON.stringify(body) });
    return turn.answer();
  },
  readStream: () => new LiveTurn(),
};

/** The recorded endpoint of Gemini's own API that a request calls, at the Gemini API and at Vertex AI. */
export function geminiEndpointOf({ path, headers }: RequestHead): Endpoint | undefined {
  const isLive = /[./]BidiGenerateContent(?:Constrained)?$/.test(path);
  return isLive && /^websocket$/i.test(headers['upgrade'] ?? '') ? geminiLiveEndpoint : undefined;
}

/** A member of a message in protobuf's JSON, which clients write in either form: `clientContent`, `client_content`. */
export const protobufMember = (object: JsonObject, name: string): unknown =>
  object[name] ?? object[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];

const SYSTEM = ['systemInstruction', 'system_instruction'];
const RESUMPTION = ['sessionResumption', 'session_resumption'];

/** Models are named with what they are of: `models/NAME`, `projects/…/models/NAME`. The handle of a session lets in those who know it. */
function readRequest(body: unknown): RecordedRequest {
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

/** Reads what the model says in a turn. Its thoughts are parts with a mark, spoken words come beside the audio. */
class LiveTurn implements StreamReader {
  started = false;
  ended = false;
  private text = '';
  private transcript = '';
  private reasoning = '';
  private readonly toolCalls: ToolCall[] = [];
  private usage = UNKNOWN_USAGE;
  private finishReason: string | null = null;
  private isGenerated = false;
  private error: string | null = null;

  push({ data }: StreamFrame): void {
    const message = objectOf(readExactJson(data));
    const content = objectOf(message['serverContent']);
    for (const part of listOf(objectOf(content['modelTurn'])['parts'])) this.pushPart(objectOf(part));
    const spoken = filledTextOf(objectOf(content['outputTranscription'])['text']);
    if (spoken !== null) {
      this.transcript += spoken;
      this.started = true;
    }
    for (const call of listOf(objectOf(message['toolCall'])['functionCalls'])) this.pushCall(objectOf(call));
    const searches = listOf(objectOf(content['groundingMetadata'])['webSearchQueries']).length;
    const usage = { ...readGeminiUsage(message['usageMetadata']), webSearchRequests: searches || null };
    this.usage = laterUsage(this.usage, usage);
    this.error ??= embeddedErrorOf(message);
    this.pushEnd(content);
  }

  answer(): RecordedAnswer {
    const { text, transcript, reasoning, toolCalls, usage, error } = this;
    const said = [text, transcript].filter((each) => each !== '').join('\n');
    const passed = toolCalls.length > 0 ? 'tool_call' : this.isGenerated ? 'generation_complete' : null;
    return {
      model: null,
      text: said === '' && !this.started ? null : said,
      finishReason: this.finishReason ?? passed,
      toolCalls,
      ...(reasoning !== '' && { reasoning }),
      usage,
      error,
    };
  }

  private pushPart(part: JsonObject): void {
    const text = textOf(part['text']) ?? '';
    if (part['thought'] === true) this.reasoning += text;
    else this.text += text;
    if (part['functionCall'] !== undefined) this.pushCall(objectOf(part['functionCall']));
    const code = part['executableCode'];
    if (code !== undefined) this.toolCalls.push({ id: null, name: 'code_execution', arguments: code });
    if (text !== '' || code !== undefined || part['inlineData'] !== undefined) this.started = true;
  }

  private pushCall({ id, name, args }: JsonObject): void {
    this.toolCalls.push({ id: filledTextOf(id), name: textOf(name) ?? '', arguments: args ?? null });
    this.started = true;
  }

  /** An interrupted turn is complete, too. */
  private pushEnd({ interrupted, generationComplete, turnComplete, turnCompleteReason }: JsonObject): void {
    this.isGenerated ||= generationComplete === true;
    if (interrupted === true) this.finishReason = 'interrupted';
    if (turnComplete !== true) return;
    this.finishReason ??= filledTextOf(turnCompleteReason) ?? 'turn_complete';
    this.ended = true;
  }
}

/**
 * Reads a `usageMetadata` of Gemini's API (docs/spec/recording.md#where-answers-have-it). What tools gave back is input beside the
 * prompt, thoughts are output beside the answer.
 */
export function readGeminiUsage(value: unknown): Partial<Usage> {
  const usage = objectOf(value);
  const [prompt, total] = [countOf(usage['promptTokenCount']), countOf(usage['totalTokenCount'])];
  const thoughts = countOf(usage['thoughtsTokenCount']);
  const answered = countOf(usage['responseTokenCount']) ?? countOf(usage['candidatesTokenCount']);
  const input = prompt === null ? null : prompt + (countOf(usage['toolUsePromptTokenCount']) ?? 0);
  const known = answered === null && thoughts === null ? null : (answered ?? 0) + (thoughts ?? 0);
  const beside = input !== null && total !== null && total >= input ? total - input : null;
  const asked = [usage['promptTokensDetails'], usage['toolUsePromptTokensDetails']];
  const answers = [usage['responseTokensDetails'] ?? usage['candidatesTokensDetails']];
  const cached = [usage['cacheTokensDetails']];
  return {
    inputTokens: input,
    // Live sessions leave thoughts out of the total, others have in it alone what is not counted elsewhere.
    outputTokens: beside === null ? known : Math.max(known ?? 0, beside),
    cachedInputTokens: countOf(usage['cachedContentTokenCount']),
    reasoningTokens: thoughts,
    inputAudioTokens: tokensOf(asked, AUDIO),
    inputImageTokens: tokensOf(asked, PICTURES),
    outputAudioTokens: tokensOf(answers, AUDIO),
    outputImageTokens: tokensOf(answers, PICTURES),
    cachedAudioTokens: tokensOf(cached, AUDIO),
    cachedImageTokens: tokensOf(cached, PICTURES),
    serviceTier: textOf(usage['serviceTier'])?.toLowerCase(),
  };
}

const AUDIO = ['AUDIO'];
/** A video is read as pictures. */
const PICTURES = ['IMAGE', 'VIDEO'];

/** The tokens of some kinds in lists of `{modality, tokenCount}`; `null` where no list has one. */
function tokensOf(lists: readonly unknown[], kinds: readonly unknown[]): number | null {
  const found = lists
    .flatMap(listOf)
    .map(objectOf)
    .filter(({ modality }) => kinds.includes(modality));
  return found.length === 0 ? null : found.reduce((sum, { tokenCount }) => sum + (countOf(tokenCount) ?? 0), 0);
}
