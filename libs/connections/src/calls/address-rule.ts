import { Inject, Injectable } from '@nestjs/common';
import { CoreSettings, hostList, isPrivateHost, type HostList } from '@spandrel/kernel';
import { ConnectionsSettings } from '../connections.settings.js';
import { originOf } from './open-connection.js';

/**
 * Where provider connections may lead (docs/spec/connections.md#where-a-connection-may-lead): to public addresses, to
 * hosts of `connections.allow_private`, and, without a base of their own, to the base that the operator gave their
 * provider. In local mode they may lead anywhere.
 */
@Injectable()
export class AddressRule {
  /** `undefined` in local mode. */
  private readonly allowed: HostList | undefined;
  private readonly operatorBases: ReadonlySet<string | undefined>;

  /** @throws StartError for an entry of `connections.allow_private` that is none. */
  constructor(
    @Inject(CoreSettings) { mode, plugins }: Pick<CoreSettings, 'mode' | 'plugins'>,
    @Inject(ConnectionsSettings) { allowPrivate }: Pick<ConnectionsSettings, 'allowPrivate'>,
  ) {
    this.allowed = mode === 'cloud' ? hostList('connections.allow_private', allowPrivate) : undefined;
    const given = plugins.map(({ config }) => config['base_url']).filter((base) => typeof base === 'string');
    this.operatorBases = new Set(given.map(originOf));
  }

  /**
   * Whether a connection may dial public addresses alone.
   * @param baseUrl its own; `null` for its provider's.
   */
  guards(baseUrl: string | null, defaultBaseUrl: string | null): boolean {
    if (!this.allowed) return false;
    if (this.isOperators(baseUrl, defaultBaseUrl)) return false;
    const url = URL.parse(baseUrl ?? defaultBaseUrl ?? '');
    return url === null || !this.allowed(...hostAndPort(url));
  }

  /**
   * Whether errors may name the server that a connection leads to: in cloud mode the base that the operator gave a provider
   * is not for tenants to know.
   */
  names(baseUrl: string | null, defaultBaseUrl: string | null): boolean {
    return !this.allowed || !this.isOperators(baseUrl, defaultBaseUrl);
  }

  /** Whether a base can lead nowhere it may lead to, whatever a resolver says. */
  refuses(baseUrl: string): boolean {
    const url = URL.parse(baseUrl);
    return url !== null && isPrivateHost(url.hostname) && this.guards(baseUrl, null);
  }

  private isOperators(baseUrl: string | null, defaultBaseUrl: string | null): boolean {
    return baseUrl === null && this.operatorBases.has(originOf(defaultBaseUrl));
  }
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

const hostAndPort = ({ hostname, port, protocol }: URL): [string, number] => [
  hostname.replace(/\.$/, ''),
  port === '' ? (PORTS[protocol] ?? 0) : Number(port),
];
