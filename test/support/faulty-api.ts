import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { freePort } from './ports.ts';

/** What becomes of a request. */
export type Fault =
  /** It goes to the real API. */
  | 'none'
  /** Nothing is ever answered. */
  | 'hang'
  /** 200, and not the API's. */
  | 'garbage'
  /** The connection is closed before the request is looked at. */
  | 'close'
  /** The real API takes it, but the answer does not arrive. */
  | 'lose the answer'
  | { status: number; code: string }
  /** A body over so many bytes is refused with 413. */
  | { bodyBytesMax: number };

/** A server between a client and the real API which fails as it is asked to. */
export interface FaultyApi {
  url: string;
  /** What becomes of the requests to come. */
  fault: Fault;
  /** Requests that have come since it was made. */
  readonly requests: number;
  /** Is there no more; nobody listens at its port. */
  goDown(): Promise<void>;
  /** Listens at its port again. */
  comeUp(): Promise<void>;
  close(): Promise<void>;
}

/** @param apiUrl the real API. */
export async function startFaultyApi(apiUrl: string): Promise<FaultyApi> {
  // It comes up again where it was: nobody else may be given its port meanwhile.
  const port = await freePort();
  let server = createServer();
  const state = { fault: 'none' as Fault, requests: 0 };
  const listen = async (): Promise<void> => {
    server = createServer((incoming, outgoing) => {
      state.requests++;
      void answer(state.fault, apiUrl, incoming, outgoing);
    });
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  };
  const stop = (): Promise<void> =>
    new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  await listen();
  return {
    url: `http://127.0.0.1:${port}`,
    get fault() {
      return state.fault;
    },
    set fault(fault) {
      state.fault = fault;
    },
    get requests() {
      return state.requests;
    },
    goDown: stop,
    comeUp: listen,
    close: stop,
  };
}

async function answer(
  fault: Fault,
  apiUrl: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  if (fault === 'close') return void incoming.socket.destroy();
  if (fault === 'hang') return void incoming.resume();
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    return;
  }
  const body = Buffer.concat(chunks);
  if (fault === 'garbage') return void outgoing.end('<html>Welcome to our network, please sign in</html>');
  const refusal =
    typeof fault === 'object' && 'status' in fault
      ? fault
      : typeof fault === 'object' && body.length > fault.bodyBytesMax
        ? { status: 413, code: 'payload_too_large' }
        : null;
  if (refusal !== null) {
    outgoing.writeHead(refusal.status, { 'content-type': 'application/problem+json' });
    return void outgoing.end(JSON.stringify({ code: refusal.code, detail: 'as the test has it' }));
  }
  const passed = request(new URL(incoming.url ?? '/', apiUrl), {
    method: incoming.method,
    headers: { ...incoming.headers, host: new URL(apiUrl).host, 'content-length': String(body.length) },
  });
  passed.on('error', () => outgoing.destroy());
  passed.on('response', (response) => {
    if (fault === 'lose the answer') {
      response.resume();
      response.on('end', () => outgoing.destroy());
      return;
    }
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  passed.end(body);
}
