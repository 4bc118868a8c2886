import type { Problem, SpanResource, TraceListItem } from '@spandrel/contract';
import { checkedFetch } from './checked-fetch.ts';

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
  private readonly fetch: typeof checkedFetch;

  constructor(
    baseUrl: string,
    fetchOf: typeof checkedFetch = checkedFetch,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.baseUrl = baseUrl;
    this.fetch = fetchOf;
    this.headers = headers;
  }

  /** This client without the check, for requests that are deliberately not in the document but are no fault. */
  get unchecked(): Api {
    return new Api(this.baseUrl, fetch, this.headers);
  }

  /** This client with a credential, which cloud mode needs. */
  as(credential: string): Api {
    return new Api(this.baseUrl, this.fetch, { authorization: `Bearer ${credential}` });
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
    const response = await this.fetch(this.baseUrl + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...this.headers, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
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
