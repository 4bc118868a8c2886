import { laterUsage, UNKNOWN_USAGE } from '../chat.js';
import type { Endpoint, RecordedAnswer, StreamFrame, StreamReader } from '../provider.js';
import { embeddedErrorOf } from '../wire/error-message.js';
import { filledTextOf, listOf, objectOf, readExactJson, type JsonObject } from '../wire/lenient-json.js';
import { readGeminiRequest, readGeminiUsage, SaidParts, searchesOf } from './content.js';

/**
 * Turns of a session of Gemini's Live API, each as the gateway puts it together (docs/spec/gateway.md#websockets): the request is what
 * the session was set up with and its `contents`, the answer the server's messages.
 */
export const geminiLiveEndpoint: Endpoint = {
  name: 'live',
  framing: 'sse',
  readRequest: readGeminiRequest,
  readAnswer: (body) => {
    const turn = new LiveTurn();
    turn.push({ data: JSON.stringify(body) });
    return turn.answer();
  },
  readStream: () => new LiveTurn(),
};

/** Reads what the model says in a turn. Its thoughts are parts with a mark, spoken words come beside the audio. */
class LiveTurn implements StreamReader {
  ended = false;
  private readonly said = new SaidParts();
  private transcript = '';
  private usage = UNKNOWN_USAGE;
  private finishReason: string | null = null;
  private isGenerated = false;
  private error: string | null = null;

  get started(): boolean {
    return this.said.started || this.transcript !== '';
  }

  push({ data }: StreamFrame): void {
    const message = objectOf(readExactJson(data));
    const content = objectOf(message['serverContent']);
    this.said.push(content['modelTurn']);
    this.transcript += filledTextOf(objectOf(content['outputTranscription'])['text']) ?? '';
    for (const call of listOf(objectOf(message['toolCall'])['functionCalls'])) this.said.pushCall(objectOf(call));
    const usage = readGeminiUsage(message['usageMetadata']);
    this.usage = laterUsage(this.usage, { ...usage, webSearchRequests: searchesOf(content['groundingMetadata']) });
    this.error ??= embeddedErrorOf(message);
    this.pushEnd(content);
  }

  answer(): RecordedAnswer {
    const { transcript, usage, error } = this;
    const { text, reasoning, toolCalls } = this.said;
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

  /** An interrupted turn is complete, too. */
  private pushEnd({ interrupted, generationComplete, turnComplete, turnCompleteReason }: JsonObject): void {
    this.isGenerated ||= generationComplete === true;
    if (interrupted === true) this.finishReason = 'interrupted';
    if (turnComplete !== true) return;
    this.finishReason ??= filledTextOf(turnCompleteReason) ?? 'turn_complete';
    this.ended = true;
  }
}
