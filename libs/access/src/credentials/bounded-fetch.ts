/** No description, list of keys or list of groups of an identity provider is longer; one of groups of this length takes a tenth of a second. */
const BYTES_MAX = 256 * 1024;

/** Fetches from an identity provider, as `fetch` does; an answer longer than 256 KiB fails while it is read. */
export async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  let left = BYTES_MAX;
  const bound = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left < 0) throw new Error(`the answer of ${new URL(url).origin} is longer than ${BYTES_MAX} bytes`);
      controller.enqueue(chunk);
    },
  });
  return new Response(answer.body?.pipeThrough(bound) ?? null, answer);
}
