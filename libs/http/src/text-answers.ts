import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { isLargeJson, jsonTextInPieces } from '@spandrel/contract';
import { inTurns } from '@spandrel/kernel';
import type { FastifyReply } from 'fastify';

/** What stands around the slices of a text. */
export interface SliceFrame<Result> {
  head: string;
  between: string;
  /** @param result what the generator of the slices returned. */
  tail: (result: Result) => string;
}

/**
 * An answer of any size in bounded memory: a slice is made when the one before was taken. The first may throw, later faults
 * cut the answer off. @param slices texts, or what one is made of.
 */
export async function streamSlices<Result>(
  slices: AsyncGenerator<string | Iterable<string>, Result>,
  frame: SliceFrame<Result>,
): Promise<Readable> {
  const first = await slices.next();
  return Readable.from(framed(first, slices, frame), { objectMode: false });
}

async function* framed<Result>(
  first: IteratorResult<string | Iterable<string>, Result>,
  rest: AsyncGenerator<string | Iterable<string>, Result>,
  { head, between, tail }: SliceFrame<Result>,
): AsyncGenerator<string> {
  let slice = first;
  let lead = head;
  try {
    for (; !slice.done; slice = await rest.next()) {
      yield* pieceByPiece(textPieces(typeof slice.value === 'string' ? [slice.value] : slice.value, lead));
      lead = between;
    }
    const end = (first.done ? head : '') + tail(slice.value);
    if (end !== '') yield end;
  } finally {
    // The client may be gone before the end.
    await rest.return(undefined as Result);
  }
}

const streamPieces = (pieces: Iterable<string>): Readable => Readable.from(pieceByPiece(pieces), { objectMode: false });

async function* pieceByPiece(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}

/** UTF-16 units of a text that are written at once: less than a millisecond. */
const PIECE = 262_144;

/** A text in pieces that are written quickly, none of which ends within a character. @param lead stands before it. */
export function* textPieces(texts: Iterable<string>, lead = ''): Generator<string, void> {
  let waiting = lead;
  for (const text of texts) {
    // Cut where it stands: a long text that is put behind another is copied whole.
    let start = 0;
    while (waiting.length + text.length - start > PIECE) {
      let end = Math.max(start, start + PIECE - waiting.length);
      if (isHighSurrogate(text.charCodeAt(end - 1))) end++;
      yield waiting + text.slice(start, end);
      waiting = '';
      start = end;
    }
    waiting += text.slice(start);
  }
  if (waiting !== '') yield waiting;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

export type Texts = string | readonly string[];

/** The texts of a list, made as they are taken. @param lead what stands before an item, by its index. */
export function* itemTexts(items: Iterable<Texts>, lead: (index: number) => string): Generator<string, void> {
  let index = 0;
  for (const item of items) {
    yield lead(index++);
    if (typeof item === 'string') yield item;
    else yield* item;
  }
}

/** An answer that is JSON text already: what is stored as text need not become objects to be shown. */
export class WrittenJson {
  /** @param texts the text, or the texts that it is made of, which may be made as they are taken. */
  constructor(readonly texts: string | Iterable<string>) {}
}

/** A page of a list whose items are JSON texts. @param nextCursor of a list with pages. @param more members before it. */
export function writtenPage(
  member: string,
  items: Iterable<Texts>,
  nextCursor?: string | null,
  more: Readonly<Record<string, unknown>> = {},
): WrittenJson {
  const head = Object.entries(more).map(([name, text]) => `"${name}":${JSON.stringify(text)},`);
  const tail = nextCursor === undefined ? '' : `,"next_cursor":${JSON.stringify(nextCursor)}`;
  let count = 0;
  const page = function* (): Generator<string> {
    yield `{${head.join('')}"${member}":[`;
    yield* itemTexts(items, () => (count++ === 0 ? '' : ','));
    yield `],"count":${count}${tail}}`;
  };
  return new WrittenJson(page());
}

/** Whether an answer is to be written as JSON, which is no file and no stream. */
const isPlain = (body: unknown): boolean =>
  Array.isArray(body) ||
  (typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype);

export class HttpAdapter extends FastifyAdapter {
  override reply(response: FastifyReply, body: unknown, statusCode?: number): FastifyReply {
    if (!(body instanceof WrittenJson)) {
      if (!isPlain(body) || !isLargeJson(body)) return super.reply(response as never, body, statusCode) as FastifyReply;
      // Nest waits for it.
      const written = inTurns(jsonTextInPieces(body)).then((text) =>
        this.reply(response, new WrittenJson(text), statusCode),
      );
      return written as never;
    }
    if (statusCode !== undefined) void response.status(statusCode);
    const { texts } = body;
    const pieces = textPieces(typeof texts === 'string' ? [texts] : texts);
    const text = pieces.next().value ?? '';
    const second = pieces.next();
    void response.header('content-type', 'application/json; charset=utf-8');
    // A long one goes as a stream, so that others have their turn while it is written.
    return response.send(second.done ? text : streamPieces(textPieces(pieces, text + second.value)));
  }
}
