import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A chat call as a script sees it. */
export interface ScriptedCall {
  /** Path of the request, `/v1/chat/completions`. */
  path: string;
  body: Readonly<Record<string, unknown>>;
}

export interface ScriptedAnswer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: unknown;
}

export interface ScriptedProvider {
  /** `http://127.0.0.1:1234` */
  url: string;
  /** Bodies of all calls so far, in order. */
  calls: ScriptedCall['body'][];
  close(): Promise<void>;
}

/** A provider whose answers a test decides. @param script is called with each call as it comes. */
export async function startScriptedProvider(
  script: (call: ScriptedCall) => ScriptedAnswer | Promise<ScriptedAnswer>,
): Promise<ScriptedProvider> {
  const calls: ScriptedCall['body'][] = [];
  const answer = async (request: IncomingMessage): Promise<ScriptedAnswer> => {
    // The list of models is asked for without a body.
    const body = JSON.parse((await text(request)) || '{}') as ScriptedCall['body'];
    calls.push(body);
    return script({ path: request.url!, body });
  };
  const server = createServer((request, response) => {
    void answer(request).then(({ status, headers, body }) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** An answer in the format of OpenAI. */
export const said = (content: string): ScriptedAnswer => ({
  status: 200,
  body: {
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  },
});

/** An error in the format of OpenAI. */
export const refused = (status: number, message: string, error: object = {}): ScriptedAnswer => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null, ...error } },
});
