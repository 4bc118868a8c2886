import { Agent, request, type IncomingMessage } from 'node:http';

export interface RequestToSend {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer | undefined;
}

/** An answer, read to its end. */
export interface Received {
  status: number;
  headers: Headers;
  /** One header, by its name in lower case: {@link headers} take longer. */
  header(name: string): string | null;
  text: string;
}

const agent = new Agent({ keepAlive: true });

/**
 * Sends a request over HTTP on a connection that is kept. Tests call servers a hundred thousand times: `fetch` takes
 * 270 µs of CPU for each, this 85.
 * @throws Error `no answer: …` when the connection ends before the answer does.
 */
export function sendRequest(url: string, { method, headers, body }: RequestToSend): Promise<Received> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const length = bytes && { 'content-length': String(bytes.length) };
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(new Error(`no answer: ${cause.message}`, { cause }));
    const sent = request(new URL(url), { method, agent, headers: { ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => resolve(received(response, Buffer.concat(chunks).toString())));
    });
    sent.on('error', fail);
    sent.end(bytes);
  });
}

const received = (response: IncomingMessage, text: string): Received => ({
  status: response.statusCode!,
  get headers() {
    const values = Object.entries(response.headersDistinct);
    return new Headers(values.flatMap(([name, all]) => all!.map((value): [string, string] => [name, value])));
  },
  header: (name) => (response.headers[name] as string | undefined) ?? null,
  text,
});
