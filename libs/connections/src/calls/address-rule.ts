import { Inject, Injectable } from '@nestjs/common';
import { CoreSettings, hostList, isPrivateHost, type HostList } from '@spandrel/kernel';
import { ConnectionsSettings } from '../connections.settings.js';
import { originOf } from './open-connection.js';

/**
 * Where provider connections may lead (docs/spec/connections.md#where-a-connection-may-lead): to public addresses by https
 * and the usual ports, to hosts of `connections.allow_private`, and, without a base of their own, to the base that the
 * operator gave their provider. In local mode they may lead anywhere.
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

  /** Whether a connection may dial public addresses alone. @param baseUrl its own; `null` for its provider's. */
  guards(baseUrl: string | null, defaultBaseUrl: string | null): boolean {
    if (!this.allowed) return false;
    if (this.isOperators(baseUrl, defaultBaseUrl)) return false;
    const url = URL.parse(baseUrl ?? defaultBaseUrl ?? '');
    return url === null || !this.allowed(...hostAndPort(url));
  }

  /** Whether errors may name the server: a base that the operator gave a provider is not for tenants to know. */
  names(baseUrl: string | null, defaultBaseUrl: string | null): boolean {
    return !this.allowed || !this.isOperators(baseUrl, defaultBaseUrl);
  }

  /**
   * Why a connection may not have a base, whatever a resolver says: it can lead inward alone, its calls would go over plain
   * http, or to a port where no provider is.
   * @param defaultBaseUrl of its provider, whose port is allowed beside 443; `null` for none.
   * @returns what the member `base_url` must do instead; `undefined` for a base that it may have.
   */
  faultOf(baseUrl: string, defaultBaseUrl: string | null): string | undefined {
    const url = URL.parse(baseUrl);
    if (url === null || !this.guards(baseUrl, null)) return undefined;
    if (isPrivateHost(url.hostname)) return 'must name a host that is public, or in connections.allow_private';
    if (url.protocol !== 'https:') return 'must begin with https://, unless its host is in connections.allow_private';
    const [, port] = hostAndPort(url);
    // The port of a base that the operator chose is not for tenants to know.
    const own = this.isOperators(null, defaultBaseUrl) ? null : URL.parse(defaultBaseUrl ?? '');
    const ports = new Set([HTTPS_PORT, ...(own ? [hostAndPort(own)[1]] : [])]);
    if (ports.has(port)) return undefined;
    return `must have the port ${[...ports].join(' or ')}, unless its host is in connections.allow_private`;
  }

  private isOperators(baseUrl: string | null, defaultBaseUrl: string | null): boolean {
    return baseUrl === null && this.operatorBases.has(originOf(defaultBaseUrl));
  }
}

const HTTPS_PORT = 443;
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': HTTPS_PORT };

const hostAndPort = ({ hostname, port, protocol }: URL): [string, number] => [
  hostname.replace(/\.$/, ''),
  port === '' ? (PORTS[protocol] ?? 0) : Number(port),
];
