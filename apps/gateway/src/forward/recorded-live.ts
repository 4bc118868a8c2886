import type { Socket } from 'node:net';
import {
  geminiLiveEndpoint,
  listOf,
  objectOf,
  protobufMember,
  readExactJson,
  textOf,
  type JsonObject,
  type RecordedAnswer,
} from '@spandrel/plugin-api';
import type { Call } from '../recording/call.js';
import type { Outcome } from '../recording/call-facts.js';
import { CONVERSATION_LENGTH_MAX, wholeMessages } from './recorded-realtime.js';
import { watchMessages, type WebSocketCalls, type WebSocketRecorder } from './recorded-websocket.js';

/** The conversations of sessions that later connections may resume, by the handles that upstream gave out. */
export interface Resumption {
  /** @returns the conversation so far; `undefined` where the handle is not known. */
  find(handle: string): LiveConversation | undefined;
  keep(handle: string, conversation: LiveConversation): void;
}

interface Turn {
  call: Call;
  answer: ReturnType<typeof geminiLiveEndpoint.readStream>;
  /** What stood in the conversation when the answer began, and the place in it of what the model says. */
  contents: readonly Content[] | null;
  said: Content;
  /** Nothing more is made, and since when. */
  doneAt: number | null;
  /** Upstream has said that the turn is complete. */
  isOver: boolean;
}

const ANSWERED: Outcome = { kind: 'answered' };

/**
 * Records the turns of a session of Gemini's Live API, each as a call whose input is the conversation so far, and all as one trace. What
 * the model does when a tool has answered is a turn of its own.
 */
export class RecordedLive implements WebSocketRecorder {
  private setup: JsonObject | null = null;
  private isSetUp = false;
  private conversation = new LiveConversation();
  private turn: Turn | null = null;
  /** A turn whose tools have answered, while upstream has not said that it is complete. */
  private before: Turn | null = null;
  /** What the user says now, in the words that upstream hears. */
  private heard: Content | null = null;
  /** Media types that the client has sent since the last turn. */
  private readonly sent = new Set<string>();

  constructor(
    private readonly calls: WebSocketCalls,
    private readonly resumption: Resumption,
  ) {}

  watch(client: Socket, upstream: Socket): void {
    watchMessages(
      [client, wholeMessages((text) => this.fromClient(text))],
      [upstream, wholeMessages((text) => this.fromUpstream(text))],
      (outcome) => this.close(outcome),
      true,
    );
  }

  private fromClient(text: string): void {
    const message = objectOf(readExactJson(text));
    const member = (name: string): JsonObject => objectOf(protobufMember(message, name));
    const [content, input] = [member('clientContent'), member('realtimeInput')];
    if (message['setup'] !== undefined) this.begin(member('setup'));
    for (const turn of listOf(content['turns'])) this.conversation.add({ role: 'user', ...objectOf(turn) });
    if (protobufMember(content, 'turnComplete') === true) this.ask();
    const typed = textOf(input['text']);
    if (typed !== null) this.conversation.add({ role: 'user', parts: [{ text: typed }] });
    for (const media of [input['audio'], input['video'], ...listOf(protobufMember(input, 'mediaChunks'))]) {
      const type = textOf(protobufMember(objectOf(media), 'mimeType'));
      if (type !== null && this.sent.size < MEDIA_MAX) this.sent.add(type);
    }
    const given = listOf(protobufMember(member('toolResponse'), 'functionResponses')).map(objectOf);
    if (given.length > 0) this.takeResults(given);
  }

  private takeResults(given: readonly JsonObject[]): void {
    const { turn } = this;
    if (turn?.isOver) this.end(turn);
    else if (turn && turn.answer.answer().toolCalls.length > 0) {
      this.end(this.before);
      this.before = turn;
      this.turn = null;
    }
    for (const functionResponse of given) this.conversation.add({ role: 'tool', parts: [{ functionResponse }] });
    const isAwaited = given.some(({ scheduling, willContinue }) => scheduling !== 'SILENT' && willContinue !== true);
    if (isAwaited) this.ask();
  }

  private begin(setup: JsonObject): void {
    this.setup = setup;
    const handle = textOf(objectOf(protobufMember(setup, 'sessionResumption'))['handle']);
    this.conversation = (handle !== null && this.resumption.find(handle)) || this.conversation;
  }

  /** The client waits for an answer. */
  private ask(): void {
    const { turn } = this;
    if (turn && (turn.isOver || turn.answer.answer().finishReason === 'interrupted')) this.end(turn);
    this.turn ??= this.newTurn();
  }

  private fromUpstream(text: string): void {
    const message = objectOf(readExactJson(text));
    const { setupComplete, serverContent, toolCall, usageMetadata, sessionResumptionUpdate, error } = message;
    this.isSetUp ||= setupComplete !== undefined;
    const content = objectOf(serverContent);
    const handle = textOf(objectOf(sessionResumptionUpdate)['newHandle']);
    if (handle) this.resumption.keep(handle, this.conversation);
    this.hear(objectOf(content['inputTranscription']));
    const speaks = SPEAKS.some((member) => content[member] !== undefined) || toolCall !== undefined;
    if (speaks) {
      this.end(this.before);
      if (this.turn?.isOver) this.end(this.turn);
    }
    // A turn without a word is paid for all the same.
    const isPaid = usageMetadata !== undefined && content['turnComplete'] === true;
    const { before } = this;
    if (speaks || error !== undefined || (isPaid && !before)) this.turn ??= this.newTurn();
    const ends = ENDS.some((member) => content[member] === true);
    const turn = before ?? this.turn;
    if (turn && (speaks || ends || usageMetadata !== undefined || error !== undefined))
      this.pass(turn, text, message, speaks);
  }

  /** @param speaks whether the message has something that the model says. */
  private pass(turn: Turn, text: string, message: JsonObject, speaks: boolean): void {
    const content = objectOf(message['serverContent']);
    if (turn.contents === null) this.answerBegins(turn);
    const event = text.replace(MEDIA, '"data":""');
    turn.call.responseChunk(Buffer.from(`data: ${event.replace(/[\r\n]/g, ' ')}\n\n`));
    turn.answer.push({ data: event });
    if (content['interrupted'] === true) this.heard = null;
    if (speaks) turn.doneAt = null;
    turn.isOver ||= content['turnComplete'] === true;
    if (message['toolCall'] !== undefined || turn.isOver || content['generationComplete'] === true)
      turn.doneAt ??= performance.now();
    // Tokens that come later belong to it.
    const isWhole = turn.isOver && turn.answer.answer().usage.inputTokens !== null;
    if (isWhole || message['error'] !== undefined) this.end(turn);
  }

  /** Words of what the user says come before the answer or while it is given; those behind an interruption are of what follows. */
  private hear({ text, finished }: JsonObject): void {
    const words = textOf(text);
    if (words) {
      this.heard ??= this.conversation.add({ role: 'user', parts: [] });
      this.conversation.addWords(this.heard, words);
    }
    if (finished === true) this.heard = null;
  }

  private newTurn(): Turn {
    return {
      call: this.calls.begin(this.calls.buffer()),
      answer: geminiLiveEndpoint.readStream(),
      contents: null,
      said: { role: 'model', parts: [] },
      doneAt: null,
      isOver: false,
    };
  }

  /** What was asked stands in the conversation; of what was spoken at least that it was. */
  private answerBegins(turn: Turn): void {
    if (this.sent.size > 0 && this.conversation.isAnswered) {
      const parts = [...this.sent].map((mimeType) => ({ inlineData: { mimeType } }));
      this.heard = this.conversation.add({ role: 'user', parts });
    }
    this.sent.clear();
    turn.contents = this.conversation.list();
    this.conversation.add(turn.said);
  }

  private end(turn: Turn | null, outcome = ANSWERED): void {
    if (!turn) return;
    if (turn === this.before) this.before = null;
    else this.turn = null;
    const { call, doneAt, said } = turn;
    const contents = turn.contents ?? this.conversation.list();
    if (this.heard && contents.includes(this.heard)) this.heard = null;
    call.requestChunk(Buffer.from(JSON.stringify({ ...this.setup, contents })));
    call.endRequest();
    this.conversation.fill(said, partsOf(turn.answer.answer()));
    this.calls.end(call, outcome, doneAt ?? undefined);
  }

  /** A session that upstream has not set up is a call that failed. */
  private close(outcome: Outcome): void {
    if (this.setup && !this.isSetUp && outcome.kind === 'cut') this.turn ??= this.newTurn();
    this.end(this.before);
    this.end(this.turn, this.turn?.doneAt == null ? outcome : ANSWERED);
    this.setup = null;
  }
}

/** Members of what the server says that are the model's. */
const SPEAKS = ['modelTurn', 'outputTranscription'];
const ENDS = ['interrupted', 'generationComplete', 'turnComplete'];

/** Media in base64; what is written so otherwise is shorter. */
const MEDIA = /"data"\s*:\s*"(?=[\w+/=-]{64})[\w+/=-]+"/g;

/** Sessions send one or two. */
const MEDIA_MAX = 8;

const partsOf = ({ text, toolCalls }: RecordedAnswer): JsonObject[] => [
  ...(text ? [{ text }] : []),
  ...toolCalls.map(({ id, name, arguments: args }) => ({ functionCall: { id, name, args } })),
];

/** Something that was said, in the form of Gemini's API. */
interface Content extends JsonObject {
  parts?: unknown;
}

/** What was said in a session. What came first is left out beyond {@link CONVERSATION_LENGTH_MAX}. */
export class LiveConversation {
  private readonly contents: { content: Content; length: number }[] = [];
  private length = 0;

  /** Whether nothing was said since the model spoke. */
  get isAnswered(): boolean {
    return (this.contents.at(-1)?.content['role'] ?? 'model') === 'model';
  }

  list(): readonly Content[] {
    return this.contents.map(({ content }) => content);
  }

  /** @returns the content, which may grow. */
  add(content: JsonObject): Content {
    this.contents.push({ content, length: 0 });
    this.count(content);
    return content;
  }

  addWords(content: Content, words: string): void {
    const before = listOf(content.parts).map(objectOf);
    const text = before.map((part) => textOf(part['text']) ?? '').join('') + words;
    const others = before.filter(
      ({ text, inlineData }) => text === undefined && !/^audio\b/.test(textOf(objectOf(inlineData)['mimeType']) ?? ''),
    );
    this.fill(content, [{ text }, ...others]);
  }

  fill(content: Content, parts: readonly JsonObject[]): void {
    (content as { parts: unknown }).parts = parts;
    this.count(content);
  }

  private count(content: Content): void {
    const entry = this.contents.find((each) => each.content === content);
    if (!entry) return;
    const length = JSON.stringify(content).length;
    this.length += length - entry.length;
    entry.length = length;
    while (this.length > CONVERSATION_LENGTH_MAX && this.contents.length > 1)
      this.length -= this.contents.shift()!.length;
  }
}
