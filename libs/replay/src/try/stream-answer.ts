import { StringDecoder } from 'node:string_decoder';
import { ConnectionCallError, refusalOf, type ConnectionReply, type OpenConnection } from '@spandrel/connections';
import { createFramer } from '@spandrel/kernel';
import { UNKNOWN_USAGE, type ChatCall, type HttpRequest, type RecordedAnswer } from '@spandrel/plugin-api';

/** What came of an answer since the last time. */
interface AnswerDelta {
  text?: string;
  reasoning?: string;
  /** The name of a tool whose call begins. */
  tool_call?: string;
}

/** What was answered, as far as it came, without the connection's key. */
export interface TriedAnswer {
  answer: RecordedAnswer;
  isStreamed: boolean;
  latencyMs: number;
  firstTokenMs: number | null;
  /** Why it is not whole; absent where it is. */
  error?: string;
}

export interface StreamOptions {
  signal: AbortSignal;
  /** Takes what has come; no more is read until it resolves. */
  onDelta(delta: AnswerDelta): Promise<void>;
}

/** How long the next piece of an answer may take. */
const TIMEOUT_MS = 120_000;

/** Characters of an answer for which the next piece waits a millisecond. */
const CHARACTERS_OF_MS = 1_000;

const NO_ANSWER: RecordedAnswer = {
  ...{ model: null, text: null, finishReason: null, toolCalls: [], usage: UNKNOWN_USAGE, error: null },
};

/**
 * Asks a model, and hands on its answer as it comes; one whose provider has no `streamChat`, or whose server refuses to stream,
 * comes whole (docs/spec/replay.md#the-stream-of-a-try). It never throws but for what is wrong in this program.
 */
export async function streamAnswer(
  connection: OpenConnection,
  call: ChatCall,
  options: StreamOptions,
): Promise<TriedAnswer> {
  const { chat } = connection.provider;
  const reading = new AnswerReading(connection, options);
  try {
    const { streamChat } = chat;
    if (streamChat) {
      const reply = await reading.send(streamChat.buildRequest(connection.target, call), streamChat);
      if (reply.status < 400 || !/\bstream/i.test(reply.excerpt)) return await reading.result(reply, call.model);
    }
    return await reading.result(await reading.send(chat.buildRequest(connection.target, call)), call.model);
  } catch (error) {
    if (options.signal.aborted) return reading.cut((options.signal.reason as Error).message);
    if (error instanceof ConnectionCallError) return reading.cut(error.message);
    const reason = error instanceof Error ? error.message : String(error);
    return reading.cut(connection.redact(`the provider plugin ${connection.providerName} failed: ${reason}`));
  }
}

type Streamed = NonNullable<OpenConnection['provider']['chat']['streamChat']>;

class AnswerReading {
  private readonly startedAt = performance.now();
  private reader: ReturnType<Streamed['readStream']> | undefined;
  private firstTokenMs: number | null = null;
  private last = NO_ANSWER;
  private nextAt = 0;
  private readonly sent = { text: 0, reasoning: 0, calls: 0 };

  constructor(
    private readonly connection: OpenConnection,
    private readonly options: StreamOptions,
  ) {}

  async send(request: HttpRequest, streamed?: Streamed): Promise<ConnectionReply> {
    const { signal } = this.options;
    if (!streamed) return this.connection.send(request, { timeoutMs: TIMEOUT_MS, signal });
    const reader = (this.reader = streamed.readStream());
    const decoder = new StringDecoder('utf8');
    const framer = createFramer(streamed.framing, (frame) => reader.push(frame));
    let fault: unknown;
    const onPiece = async (piece: Buffer): Promise<void> => {
      if (fault !== undefined) return;
      try {
        framer.feed(decoder.write(piece));
        if (performance.now() < this.nextAt) return;
        await this.handOn(reader.answer());
        // The longer a text is the more it costs to look at: long ones are handed on more rarely.
        this.nextAt = performance.now() + (this.last.text?.length ?? 0) / CHARACTERS_OF_MS;
      } catch (error) {
        fault = error;
      }
    };
    const reply = await this.connection.send(request, { timeoutMs: TIMEOUT_MS, signal, onPiece });
    if (fault !== undefined) throw fault;
    framer.finish();
    return reply;
  }

  async result(reply: ConnectionReply, model: string): Promise<TriedAnswer> {
    const { connection, reader } = this;
    if (reply.status < 200 || reply.status > 299) return this.cut(refusalOf(connection, reply, model));
    const isStreamed = reader?.started === true || reader?.ended === true;
    const answer = isStreamed ? reader!.answer() : this.readWhole(reply);
    if (answer === null) return this.cut(`the answer of ${connection.server} is none of a model: ${reply.excerpt}`);
    await this.handOn(answer, true);
    if (answer.error !== null) return this.cut(connection.redact(answer.error));
    if (isStreamed && !reader!.ended) return this.cut('the stream ended without its end mark');
    return this.taken(answer, isStreamed);
  }

  /** The answer as far as it came. */
  cut(error: string): Promise<TriedAnswer> {
    return this.taken(this.soFar(), this.reader !== undefined, error);
  }

  /** A plugin that threw may throw again. */
  private soFar(): RecordedAnswer {
    try {
      return this.reader?.answer() ?? this.last;
    } catch {
      return this.last;
    }
  }

  private readWhole(reply: ConnectionReply): RecordedAnswer | null {
    this.reader = undefined;
    if (reply.body === undefined) return null;
    const answer = this.connection.provider.chat.readAnswer(reply.body);
    return answer.text === null && answer.error === null ? null : answer;
  }

  private async taken(given: RecordedAnswer, isStreamed: boolean, error?: string): Promise<TriedAnswer> {
    const redacted = async <T>(value: T): Promise<T> => {
      const json = JSON.stringify(value);
      const shown = await this.connection.redactOutput(json);
      return shown === json ? value : (JSON.parse(shown) as T);
    };
    const { text, reasoning, toolCalls, model, finishReason, usage } = given;
    const answer = { ...(await redacted({ text, reasoning, toolCalls, model, finishReason })), usage, error: null };
    const latencyMs = Math.round(performance.now() - this.startedAt);
    return { answer, isStreamed, latencyMs, firstTokenMs: this.firstTokenMs, ...(error !== undefined && { error }) };
  }

  /** Hands on what is new. @param isWhole whether nothing more comes. */
  private async handOn(answer: RecordedAnswer, isWhole = false): Promise<void> {
    this.last = answer;
    const { text, reasoning = '', toolCalls } = answer;
    if (this.reader?.started) this.firstTokenMs ??= Math.round(performance.now() - this.startedAt);
    const fresh = async (member: 'text' | 'reasoning', said: string): Promise<string> => {
      const shown = isWhole ? await this.connection.redactOutput(said) : this.connection.redactBegun(said);
      const piece = shown.slice(this.sent[member]);
      this.sent[member] = Math.max(this.sent[member], shown.length);
      return piece;
    };
    const [newText, newReasoning] = [await fresh('text', text ?? ''), await fresh('reasoning', reasoning)];
    if (newText !== '' || newReasoning !== '') {
      await this.options.onDelta({
        ...(newText !== '' && { text: newText }),
        ...(newReasoning !== '' && { reasoning: newReasoning }),
      });
    }
    for (const { name } of toolCalls.slice(this.sent.calls)) await this.options.onDelta({ tool_call: name });
    this.sent.calls = Math.max(this.sent.calls, toolCalls.length);
  }
}
