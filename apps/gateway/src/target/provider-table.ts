import type { Named, Logger } from '@spandrel/kernel';
import type { Endpoint, Provider, RequestHead } from '@spandrel/plugin-api';
import { parseBase, type Base } from './base-url.js';

/** A provider as the gateway uses it; a plugin that throws answers as one that does not know. */
export interface ProviderEntry {
  readonly name: string;
  readonly provider: Provider;
  /** Where its requests go when the caller does not say; `null` when it has no place. */
  readonly base: Base | null;
}

/** Name of the provider of an unknown host (docs/spec/gateway.md#the-providers-name). */
export const CUSTOM = 'custom';

/** The loaded providers, in the order of config. */
export class ProviderTable {
  readonly entries: readonly ProviderEntry[];
  /** Headers by which callers name a base, lower case. */
  readonly baseHeaders: ReadonlySet<string>;

  constructor(
    providers: readonly Named<Provider>[],
    private readonly logger: Logger,
  ) {
    this.entries = providers.map(({ name, extension: provider }) => {
      const base = provider.defaultBaseUrl === null ? null : parseBase(provider.defaultBaseUrl, false);
      if (typeof base === 'string') throw new Error(`provider ${name}: its base URL ${base}`);
      return { name, provider, base };
    });
    this.baseHeaders = new Set(
      this.entries.flatMap(({ provider }) => (provider.baseHeader === undefined ? [] : [provider.baseHeader])),
    );
  }

  byName(name: string): ProviderEntry | undefined {
    return this.entries.find((entry) => entry.name === name);
  }

  /** The provider whose request this is: certain before likely, ties by order. */
  recognise(head: RequestHead): ProviderEntry | undefined {
    let likely: ProviderEntry | undefined;
    for (const entry of this.entries) {
      const answer = this.ask(entry, head);
      if (answer === 'certain') return entry;
      if (answer === 'likely') likely ??= entry;
    }
    return likely;
  }

  /** The provider whose header names the base of this request. */
  namedBy({ headers }: RequestHead): ProviderEntry | undefined {
    return this.entries.find(
      ({ provider: { baseHeader } }) => baseHeader !== undefined && headers[baseHeader] !== undefined,
    );
  }

  /** The provider whose own host this is. */
  ownerOf({ hostname }: Base): ProviderEntry | undefined {
    return this.entries.find(({ provider }) => provider.hosts.includes(hostname));
  }

  endpoint(entry: ProviderEntry, head: RequestHead): Endpoint | undefined {
    try {
      const endpoint: unknown = entry.provider.endpoint(head);
      if (endpoint === undefined || isEndpoint(endpoint)) return endpoint;
      throw new TypeError('endpoint() returned no endpoint');
    } catch (error) {
      this.logger.warn(
        { provider: entry.name, err: error },
        'the provider plugin failed to name the endpoint of a request',
      );
      return undefined;
    }
  }

  private ask({ name, provider }: ProviderEntry, head: RequestHead): 'certain' | 'likely' | 'no' {
    try {
      return provider.recognises(head);
    } catch (error) {
      this.logger.warn({ provider: name, err: error }, 'the provider plugin failed while recognising a request');
      return 'no';
    }
  }
}

/** Whether a plugin returned an endpoint, by its data alone: its methods are guarded where they are called. */
function isEndpoint(value: unknown): value is Endpoint {
  const { name, framing } = Object(value) as Partial<Endpoint>;
  return typeof name === 'string' && (framing === 'sse' || framing === 'ndjson');
}
