import { laterUsage, UNKNOWN_USAGE } from '../chat.js';
import { answerOfChoices } from '../openai-format/chat-endpoint.js';
import type { Endpoint, RecordedAnswer, RecordedChoice, RequestHead, StreamFrame, StreamReader } from '../provider.js';
import { errorOfFrame } from '../wire/error-message.js';
import { countOf, filledTextOf, listOf, objectOf, readExactJson } from '../wire/lenient-json.js';
import { readGeminiRequest, readGeminiUsage, SaidParts, searchesOf } from './content.js';
import { interactionsEndpoint } from './interactions-endpoint.js';
import { geminiLiveEndpoint } from './live-endpoint.js';

/** The recorded endpoint of Gemini's own API that a request calls, at the Gemini API and at Vertex AI. */
export function geminiEndpointOf({ method, path, headers }: RequestHead): Endpoint | undefined {
  const isLive = /[./]BidiGenerateContent(?:Constrained)?$/.test(path);
  if (isLive) return /^websocket$/i.test(headers['upgrade'] ?? '') ? geminiLiveEndpoint : undefined;
  const [, model, streamed] =
    /\/(?:models|tunedModels|endpoints)\/([^/:]+):(?:generateContent|(streamGenerateContent))$/.exec(path) ?? [];
  if (method === 'POST' && /^\/v\d\w*\/(?:.+\/)?interactions$/.test(path)) return interactionsEndpoint;
  return method === 'POST' && model !== undefined ? generateEndpoint(model, streamed !== undefined) : undefined;
}

/** `generateContent` and `streamGenerateContent`, whose model is in the path. */
const generateEndpoint = (model: string, streaming: boolean): Endpoint => ({
  name: 'generateContent',
  framing: 'sse',
  readRequest: (body) => ({ ...readGeminiRequest(body), model, streaming }),
  readAnswer(body) {
    const stream = new GenerateStream();
    // Without `alt=sse` a stream is one list.
    for (const chunk of Array.isArray(body) ? body : [body]) stream.pushChunk({ data: '' }, chunk);
    return stream.answer();
  },
  readStream: () => new GenerateStream(),
});

/** Reads a stream of answers, each with what came since; it has no end mark but the reason to finish. */
class GenerateStream implements StreamReader {
  readonly ended = false;
  private readonly candidates = new Map<number, { said: SaidParts; finishReason: string | null }>();
  private model: string | null = null;
  private usage = UNKNOWN_USAGE;
  private blocked: string | null = null;
  private error: string | null = null;

  get started(): boolean {
    return [...this.candidates.values()].some(({ said }) => said.started);
  }

  push(frame: StreamFrame): void {
    this.pushChunk(frame, readExactJson(frame.data));
  }

  pushChunk(frame: StreamFrame, parsed: unknown): void {
    const chunk = objectOf(parsed);
    this.model = filledTextOf(chunk['modelVersion']) ?? this.model;
    this.usage = laterUsage(this.usage, readGeminiUsage(chunk['usageMetadata']));
    this.blocked = filledTextOf(objectOf(chunk['promptFeedback'])['blockReason']) ?? this.blocked;
    this.error = errorOfFrame(frame, parsed) ?? this.error;
    for (const given of listOf(chunk['candidates']).map(objectOf)) {
      const index = countOf(given['index']) ?? 0;
      const candidate = this.candidates.get(index) ?? { said: new SaidParts(), finishReason: null };
      this.candidates.set(index, candidate);
      candidate.said.push(given['content']);
      candidate.finishReason = filledTextOf(given['finishReason']) ?? candidate.finishReason;
      this.usage = laterUsage(this.usage, { webSearchRequests: searchesOf(given['groundingMetadata']) });
    }
  }

  answer(): RecordedAnswer {
    const { model, usage, error, blocked } = this;
    const choices = [...this.candidates]
      .sort(([a], [b]) => a - b)
      .map(([, { said, finishReason }]): RecordedChoice => {
        const { text, toolCalls, reasoning } = said;
        return { text, finishReason, toolCalls: [...toolCalls], ...(reasoning !== '' && { reasoning }) };
      });
    const answer = answerOfChoices(choices, { model, usage, error });
    return { ...answer, finishReason: answer.finishReason ?? blocked };
  }
}
