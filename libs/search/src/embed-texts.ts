import { ConnectionCallError, refusalOf, type ConnectionReply } from '@spandrel/connections';
import type { EmbeddingTarget } from './embedding-target.js';
import { cutText } from './span-document.js';

const TIMEOUT_MS = 60_000;

/** Statuses that concern the texts, not the endpoint. */
const REFUSED = new Set([400, 413, 422]);

/** What is left of a text that was refused, for one more try: a model takes so many tokens and no more. */
const SHORTENED_LENGTH = 1_000;

/** A text that every model takes: when it is refused too, the texts are not to blame. */
const PROBE = 'ok';

/** No vectors now; asking again later may help. The message holds no key. */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError';

  constructor(
    message: string,
    /** Whether the endpoint says that the request is at fault. */
    readonly refused = false,
  ) {
    super(message);
  }
}

/**
 * Vectors of texts. Texts that are refused cost the others nothing: they are distinguished by halves, tried once more
 * shortened, and have none in the end.
 * @returns one a text, in order, all of one length; `undefined` for a text that the endpoint refuses.
 * @throws EmbeddingError when there are none to be had now.
 */
export async function embedTexts(
  target: EmbeddingTarget,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<(number[] | undefined)[]> {
  let probed = false;
  const embed = async (some: readonly string[]): Promise<(number[] | undefined)[]> => {
    if (some.length === 0) return [];
    try {
      return await callOnce(target, some, signal);
    } catch (error) {
      if (!(error instanceof EmbeddingError && error.refused)) throw error;
      if (!probed) {
        await callOnce(target, [PROBE], signal);
        probed = true;
      }
      const half = some.length >> 1;
      if (half > 0) return [...(await embed(some.slice(0, half))), ...(await embed(some.slice(half)))];
      const shortened = cutText(some[0]!, SHORTENED_LENGTH);
      return shortened === some[0] ? [undefined] : embed([shortened]);
    }
  };
  return embed(texts);
}

/** @throws EmbeddingError */
export async function callOnce(
  { connection, calls, model }: EmbeddingTarget,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<number[][]> {
  let reply: ConnectionReply;
  try {
    const request = calls.buildRequest(connection.target, { model, texts });
    reply = await connection.send(request, { timeoutMs: TIMEOUT_MS, ...(signal && { signal }) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const who = error instanceof ConnectionCallError ? '' : `the provider plugin ${connection.providerName} failed: `;
    throw new EmbeddingError(connection.redact(who + reason));
  }
  if (reply.status < 200 || reply.status > 299) {
    throw new EmbeddingError(refusalOf(connection, reply, model), REFUSED.has(reply.status));
  }
  const vectors = calls.readVectors(reply.body);
  if (vectors?.length !== texts.length || vectors.some(({ length }) => length !== vectors[0]!.length)) {
    throw new EmbeddingError(`the answer is no list of ${texts.length} vectors: ${reply.excerpt}`);
  }
  return vectors;
}
