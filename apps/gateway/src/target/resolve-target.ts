import { isIP } from 'node:net';
import type { ErrorCode } from '@spandrel/contract';
import { modelCallOf } from '@spandrel/http';
import { isPublicAddress } from '@spandrel/kernel';
import type { Endpoint, Provider, RequestHead } from '@spandrel/plugin-api';
import {
  parseBase,
  type Base,
  type ForwardAllow,
  CUSTOM,
  type ProviderEntry,
  type ProviderTable,
} from './provider-table.js';
import {
  telemetryExportFault,
  perhapsMeant,
  wrongAddress,
  type Addresses,
  type WrongAddress,
} from './wrong-address.js';

/** Where a request goes and how it is read. */
export interface Target {
  base: Base;
  /** Name of the provider for span and metrics. */
  providerName: string;
  /** The provider in whose wire format the request is written; `null` when none is known. */
  wire: ProviderEntry | null;
  /** The recorded endpoint; `undefined` for a request that passes unrecorded. */
  endpoint: Endpoint | undefined;
  /** The response of an earlier call that is asked for. */
  asked?: AskedResponse;
}

/** A request the gateway answers itself. */
export interface Refusal {
  code: ErrorCode;
  message: string;
  /** The provider whose clients read the answer, when it is known. */
  provider: Provider | null;
  /** Says nothing of targets, so that callers without a key get it too. */
  needsNoKey?: true;
}

export const FORWARD_HEADER = 'x-forward-url';

/** The header's name as people write it, for messages. */
const FORWARD_HEADER_TITLED = 'X-Forward-URL';

/** Finds the target of a request, by the first rule that applies (docs/spec/gateway.md#where-a-call-goes). */
export class TargetResolver {
  /**
   * @param allow which bases callers may name; `null` in local mode: any.
   * @param addresses asked for at every mistake, since the gateway's own port is known once it listens.
   */
  constructor(
    private readonly providers: ProviderTable,
    private readonly allow: ForwardAllow | null,
    private readonly addresses: () => Addresses,
  ) {}

  resolve(head: RequestHead): Target | Refusal {
    const exported = telemetryExportFault(head, this.addresses);
    if (exported !== undefined) return { ...refusal(null, 'validation_failed', exported), needsNoKey: true };
    const named = head.headers[FORWARD_HEADER];
    if (named !== undefined) return this.forwarded(named, head);
    const owner = this.providers.namedBy(head);
    if (owner !== undefined) return this.based(owner, head);
    const entry = this.providers.recognise(head);
    if (entry === undefined) return this.unknown(head);
    const mistaken = isMistaken(head.path) ? this.wrongAddress(head.path) : undefined;
    if (mistaken) return mistaken;
    const { base } = entry;
    if (base === null) {
      return refusal(
        entry.provider,
        'validation_failed',
        `${entry.name} has no base URL: name one in the header ${FORWARD_HEADER_TITLED}, ${BASE_EXPECTED}.`,
      );
    }
    const read = this.wireFormat(head, [entry]) ?? { wire: entry };
    return { base, providerName: entry.name, endpoint: undefined, ...read };
  }

  /** A request whose base a provider's own header names, whatever its path: it is read in the format that the path shows. */
  private based(entry: ProviderEntry, head: RequestHead): Target | Refusal {
    const header = entry.provider.baseHeader!;
    // Ollama has APIs of OpenAI's and Anthropic's style beside its own.
    const read = this.wireFormat(head, [entry, ...this.providers.entries]) ?? { wire: entry };
    const base = this.namedBase(titled(header), head.headers[header]!, read.wire.provider);
    return 'code' in base ? base : { base, providerName: entry.name, endpoint: undefined, ...read };
  }

  /** A path that no provider takes for its own. */
  private unknown(head: RequestHead): Refusal {
    const { path } = head;
    const wrong = this.wrongAddress(path);
    if (wrong) return wrong;
    const { wire, endpoint } = this.wireFormat(head, [...this.providers.entries]) ?? {};
    if (wire && endpoint && GEMINI.has(endpoint.name)) {
      return refusal(
        wire.provider,
        'validation_failed',
        `Name Gemini's base URL in the header ${FORWARD_HEADER_TITLED}: ${GEMINI_BASE}.`,
      );
    }
    return refusal(
      this.clientProvider(modelCallOf(path)?.client),
      'validation_failed',
      `No provider is known for this path: name its base URL in the header ${FORWARD_HEADER_TITLED}, ` +
        `${BASE_EXPECTED}. ${perhapsMeant(path, this.addresses())}`,
    );
  }

  private wrongAddress(path: string): Refusal | undefined {
    const wrong = wrongAddress(path, this.addresses());
    return (
      wrong && { ...refusal(this.clientProvider(wrong.client), 'not_found', wrong.message), needsNoKey: true as const }
    );
  }

  /** The provider of a client library, whose error shape it understands. */
  private clientProvider(client: WrongAddress['client'] | undefined): Provider | null {
    return client ? (this.providers.byName(client)?.provider ?? null) : null;
  }

  private forwarded(text: string, head: RequestHead): Target | Refusal {
    const wire = this.providers.recognise(head);
    const base = this.namedBase(FORWARD_HEADER_TITLED, text, wire?.provider ?? null);
    if ('code' in base) return base;
    const owner = this.providers.ownerOf(base);
    const read = this.wireFormat(head, [wire, owner, ...this.providers.entries]);
    return {
      base,
      providerName: owner?.name ?? CUSTOM,
      endpoint: undefined,
      ...(read ?? { wire: wire ?? owner ?? null }),
    };
  }

  /**
   * The first of the candidates that records this request, or what it asks for; its path shows the wire format, whatever the host.
   */
  private wireFormat(
    head: RequestHead,
    candidates: (ProviderEntry | undefined)[],
  ): { wire: ProviderEntry; endpoint?: Endpoint; asked?: AskedResponse } | undefined {
    for (const wire of candidates) {
      if (!wire) continue;
      const endpoint = this.providers.endpoint(wire, head);
      if (endpoint) return { wire, endpoint };
      const asked = askedResponse(head, (began) => this.providers.endpoint(wire, began));
      if (asked) return { wire, asked };
    }
    return undefined;
  }

  private namedBase(header: string, text: string, provider: Provider | null): Base | Refusal {
    const base = parseBase(text, this.allow !== null);
    if (typeof base === 'string')
      return refusal(provider, 'validation_failed', `The header ${header} ${base}; it is ${BASE_EXPECTED}.`);
    if (!this.allow) return base;
    const allowed = this.allow(base);
    if (allowed === 'any') return parseBase(text, false) as Base;
    if (isIP(base.hostname) !== 0 && !isPublicAddress(base.hostname)) {
      return refusal(provider, 'target_not_allowed', `The header ${header} names an address that is not public.`);
    }
    if (allowed === undefined) {
      return refusal(
        provider,
        'target_not_allowed',
        `The header ${header} names a host that gateway.forward_allow does not list.`,
      );
    }
    return base;
  }
}

/** Endpoints of Gemini's own API, which has several addresses. */
const GEMINI: ReadonlySet<string> = new Set(['generateContent', 'interactions']);
const GEMINI_BASE = 'https://generativelanguage.googleapis.com, or that of Vertex AI';

/** What a header that names a base must hold. */
const BASE_EXPECTED = "the provider's address without the path of the call, such as https://llm.example.com";

/** Paths that a provider would take for its own though it has nothing there: `/v1` twice, Anthropic's without it. */
const isMistaken = (path: string): boolean => /^\/v1\/(v1|api)(\/|$)/.test(path) || /^\/messages(\/|$)/.test(path);

const refusal = (provider: Provider | null, code: ErrorCode, message: string): Refusal => ({ provider, code, message });

/** `X-Ollama-Base` for `x-ollama-base`: as people write the names of headers. */
const titled = (header: string): string => header.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());

/** Name of the endpoint of the Responses API. */
export const RESPONSES = 'responses';

/** Endpoints whose answers may go on behind their call. */
export const BEHIND: ReadonlySet<string> = new Set([RESPONSES, 'interactions']);

/** The endpoint of Realtime sessions, whose calls pass by WebSocket. */
export const REALTIME = 'realtime';

/** A response that a request asks for, and the call by which such responses begin. */
export interface AskedResponse {
  id: string;
  endpoint: Endpoint;
  method: string;
  path: string;
}

const ASKING = /^(.*\/(?:responses|interactions))\/([^/]+)(\/cancel)?\/?$/;

/**
 * The response that a request asks for: `GET …/responses/{id}`, whole or streamed, and `POST …/responses/{id}/cancel`; so for interactions.
 * @param endpointOf the endpoint of a request, as its provider knows it.
 */
function askedResponse(
  head: RequestHead,
  endpointOf: (head: RequestHead) => Endpoint | undefined,
): AskedResponse | undefined {
  const match = ASKING.exec(head.path);
  if (!match || head.method !== (match[3] === undefined ? 'GET' : 'POST')) return undefined;
  const began = { method: 'POST', path: match[1]! };
  const endpoint = endpointOf({ ...head, ...began });
  return endpoint && BEHIND.has(endpoint.name) ? { id: match[2]!, endpoint, ...began } : undefined;
}
