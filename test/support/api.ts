import type { Problem, SpanResource, TraceListItem } from '@spandrel/contract';
import { checkedRequest } from './checked-fetch.ts';
import { sendRequest } from './send-request.ts';

/** An answer of the API with its parsed JSON body; `Body` is what the test expects it to be. */
export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** A small client of the API, as a user with curl has it; its traffic is checked against the OpenAPI document. */
export class Api {
  readonly baseUrl: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  private readonly request: typeof sendRequest;

  constructor(
    baseUrl: string,
    request: typeof sendRequest = checkedRequest,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.baseUrl = baseUrl;
    this.request = request;
    this.headers = headers;
  }

  /** This client without the check, for requests that are deliberately not in the document but are no fault. */
  get unchecked(): Api {
    return new Api(this.baseUrl, sendRequest, this.headers);
  }

  /** This client with a credential, which cloud mode needs. */
  as(credential: string): Api {
    return new Api(this.baseUrl, this.request, { authorization: `Bearer ${credential}` });
  }

  get = <Body = Problem>(path: string) => this.send<Body>('GET', path);
  delete = <Body = Problem>(path: string) => this.send<Body>('DELETE', path);
  post = <Body = Problem>(path: string, body?: unknown) => this.send<Body>('POST', path, body);
  patch = <Body = Problem>(path: string, body: unknown) => this.send<Body>('PATCH', path, body);

  /** Sends a request; a body that is a text is sent as it is, anything else as JSON. */
  async send<Body = Problem>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const received = await this.request(this.baseUrl + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...this.headers, ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const { text } = received;
    return {
      status: received.status,
      get headers() {
        return received.headers;
      },
      body: (text === '' ? undefined : JSON.parse(text)) as Body,
    };
  }

  /** The spans that match a query, newest first. */
  async spans(query = ''): Promise<SpanResource[]> {
    const { body } = await this.get<{ spans: SpanResource[] }>(`/api/spans?limit=1000${query && `&${query}`}`);
    return body.spans;
  }

  /** The traces that match a query, newest first. */
  async traces(query = ''): Promise<TraceListItem[]> {
    const { body } = await this.get<{ traces: TraceListItem[] }>(`/api/traces?limit=1000${query && `&${query}`}`);
    return body.traces;
  }
}
