import type { FastifyReply } from 'fastify';

/** An answer that is JSON text already: what is stored as text need not become objects to be shown. */
export class WrittenJson {
  constructor(readonly text: string) {}
}

/**
 * A page of a list whose items are JSON texts.
 * @param member what the list is called: `spans`.
 * @param nextCursor left out of a list that has no pages.
 * @param more members in front of the list.
 */
export function writtenPage(
  member: string,
  items: readonly string[],
  nextCursor?: string | null,
  more: Readonly<Record<string, string>> = {},
): WrittenJson {
  const head = Object.entries(more).map(([name, text]) => `"${name}":${JSON.stringify(text)},`);
  const tail = nextCursor === undefined ? '' : `,"next_cursor":${JSON.stringify(nextCursor)}`;
  return new WrittenJson(`{${head.join('')}"${member}":[${items.join()}],"count":${items.length}${tail}}`);
}

/** Sends it as Fastify sends objects. */
export function sendWritten(reply: FastifyReply, { text }: WrittenJson): void {
  void reply.header('content-type', 'application/json; charset=utf-8').send(text);
}
