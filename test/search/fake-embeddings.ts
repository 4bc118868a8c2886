import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Numbers of a vector. */
export const DIMENSIONS = 256;

/** Words that mean the same, in other languages or other words. */
const MEANINGS: Record<string, string> = { rückerstattung: 'refund', 返金: 'refund', reimbursement: 'refund' };

/** No model takes more. */
const TEXT_LENGTH_MAX = 5_000;

export interface FakeEmbeddings {
  url: string;
  /** Every text that was made a vector of, in order. */
  texts: string[];
  /** Answers every call with this status, where there is one. */
  failWith: number | undefined;
  /** What an answer takes. */
  delayMs: number;
  close(): Promise<void>;
}

/**
 * Speaks OpenAI's `/v1/embeddings`: a text becomes the sum of its words' meanings, so that texts with words of one meaning
 * are near. A text with the word `poison` is refused.
 */
export async function startFakeEmbeddings(): Promise<FakeEmbeddings> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = (status: number, body: unknown): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      const { model, input } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { model: string; input: string[] };
      const refused = input.some((text) => text === '' || text.length > TEXT_LENGTH_MAX || /poison/.test(text));
      if (request.url !== '/v1/embeddings') return answer(404, { error: { message: 'no such path' } });
      if (request.headers.authorization !== 'Bearer sk-embed') return answer(401, { error: { message: 'bad key' } });
      if (fake.failWith !== undefined) return answer(fake.failWith, { error: { message: 'out of order' } });
      if (refused) return answer(400, { error: { message: 'this text cannot be taken' } });
      fake.texts.push(...input);
      const data = input.map((text, index) => ({
        object: 'embedding',
        index,
        embedding: vectorOf(text),
      }));
      // The order is the index's, not the list's.
      return void setTimeout(answer, fake.delayMs, 200, { object: 'list', model, data: data.toReversed() });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeEmbeddings = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    texts: [],
    failWith: undefined,
    delayMs: 0,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
  return fake;
}

function vectorOf(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0.01);
  for (const [word] of text.toLowerCase().matchAll(/[\p{Script=Han}]+|[\p{L}\p{N}]+/gu)) {
    const meaning = MEANINGS[word] ?? word;
    let hash = 0x811c9dc5;
    for (let at = 0; at < meaning.length; at++) hash = Math.imul(hash ^ meaning.charCodeAt(at), 0x01000193) >>> 0;
    vector[(hash >>> 8) % DIMENSIONS]! += 1;
  }
  return vector;
}
