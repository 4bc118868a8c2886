import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ARRIVAL_LIMITS,
  CredentialRefusals,
  WrongCredentials,
  type AccessLog,
  type ArrivalLimits,
} from '@spandrel/http';
import {
  ClientAddresses,
  StartError,
  type Clock,
  type LoadedMasker,
  type Logger,
  type Named,
  type PluginEntry,
} from '@spandrel/kernel';
import { Registry } from '@prometheus-io/client';
import type { Provider } from '@spandrel/plugin-api';
import { Cassettes } from './cassette/cassettes.js';
import { CassetteSettings } from './cassette/cassette.settings.js';
import { Upgrades } from './forward/upgrade.js';
import { CredentialClient, KeyChecks } from './access/key-checks.js';
import { GatewayServer } from './gateway-server.js';
import type { GatewaySettings } from './gateway.settings.js';
import { GatewayMetrics } from './metrics.js';
import { OwnEndpoints } from './own-endpoints.js';
import { keysWithRules } from './masking/recording-rules.js';
import { BackgroundResponses } from './recording/background-responses.js';
import { captureText } from './recording/capture.js';
import { CallRecording } from './recording/call-recording.js';
import { RequestLog, type GatewayLine } from './request-log.js';
import { RecordingSpool } from './spool/recording-spool.js';
import { forwardAllow, ProviderTable } from './target/provider-table.js';
import { FORWARD_HEADER, TargetResolver } from './target/resolve-target.js';
import { localAddresses, type Addresses } from './target/wrong-address.js';
import { Http1Client } from './upstream/http1-client.js';

export interface GatewayDeps {
  /** The loaded providers, in the order of config. */
  providers: readonly Named<Provider>[];
  maskers: readonly LoadedMasker[];
  /** The config that these were loaded by, for threads that read long calls; without it all calls are read at once. */
  plugins?: readonly PluginEntry[];
  logger: Logger;
  clock?: Clock;
  /** Clock by which answers about keys grow old (`KeyCheckOptions.tick`). */
  tick?: () => number;
  /** There are no cassettes when left out. */
  cassettes?: CassetteSettings;
  /** Extra certificate authorities for upstreams, PEM. */
  ca?: string;
  /** What `/metrics` shows; the gateway adds its own. */
  metrics?: Registry;
  /** Gets a line a request; none is written when left out. */
  accessLog?: AccessLog<GatewayLine>;
  /** When a request's body counts as too slow, see {@link ARRIVAL_LIMITS}. */
  arrival?: ArrivalLimits;
}

/**
 * The part of the life of the API's answer about a key after which open WebSockets are looked at again. Asked again after
 * three quarters of it, a key that is refused is seen before all of it is over.
 */
const RECHECK_PART = 0.1;

/**
 * Puts a gateway together. With a spool directory it holds it from now on and queues what a former run left in it.
 * @throws StartError for settings that cannot be used.
 */
export async function createGateway(settings: GatewaySettings, deps: GatewayDeps): Promise<Gateway> {
  if (settings.mode === 'cloud' && settings.spoolDir !== null && settings.apiKey === null) {
    throw new StartError([
      'gateway.api_key (SPANDREL_API_KEY): is needed with gateway.spool_dir in cloud mode; it seals the keys of callers there',
    ]);
  }
  const providers = new ProviderTable(deps.providers, deps.logger);
  const metrics = new GatewayMetrics(deps.metrics ?? new Registry());
  metrics.countMaskers(deps.maskers.map(({ name }) => name));
  const keys = settings.mode === 'cloud' ? keyChecksOf(settings, deps) : null;
  const onUnauthenticated = (digest: string): void => keys?.forget(digest);
  const spool = await RecordingSpool.open(settings, { logger: deps.logger, metrics, onUnauthenticated });
  const { clock = Date, logger } = deps;
  const responses = await BackgroundResponses.open(settings.spoolDir, clock, logger);
  return new Gateway(settings, deps, providers, metrics, keys, spool, responses);
}

function keyChecksOf(settings: GatewaySettings, { logger, clock = Date, tick }: GatewayDeps): KeyChecks {
  const client = new CredentialClient(settings.apiUrl, settings.keyCheckMs);
  const { keyFreshMs: freshMs, keyRefusedMs: refusedMs, keyPatienceMs: patienceMs } = settings;
  return new KeyChecks(client, logger, clock, { freshMs, refusedMs, patienceMs, ...(tick && { tick }) });
}

const NO_CASSETTES: CassetteSettings = { dir: null, mode: 'replay', timing: 'none', name: null };

/**
 * A recording proxy that can be started and stopped once. From a request to its span: `GatewayServer` → `Forward` → `Call` →
 * `CallRecording` → `RecordingSpool`.
 */
export class Gateway {
  private readonly upstream: Http1Client;
  private readonly logger: Logger;
  private readonly arrival: ArrivalLimits;
  private readonly server: GatewayServer;
  private readonly upgrades: Upgrades;
  private readonly recording: CallRecording;
  private readonly cassettes: Cassettes;
  private stopping = false;
  private closing = false;
  private bodyLooks: NodeJS.Timeout | undefined;

  /** @param keys cloud mode's. */
  constructor(
    private readonly settings: GatewaySettings,
    deps: GatewayDeps,
    providers: ProviderTable,
    metrics: GatewayMetrics,
    private readonly keys: KeyChecks | null,
    private readonly spool: RecordingSpool,
    private readonly responses: BackgroundResponses,
  ) {
    const { logger, clock = Date, maskers, plugins = null, ca } = deps;
    const isCloud = settings.mode === 'cloud';
    this.logger = logger;
    this.arrival = deps.arrival ?? ARRIVAL_LIMITS;
    metrics.watch(() => ({ ...spool.state, inFlight: this.server.inFlight }));
    const addresses = new ClientAddresses(settings.trustProxy);
    const log = deps.accessLog ? new RequestLog(deps.accessLog, addresses) : null;
    const ownHeaders = new Set([FORWARD_HEADER, ...providers.baseHeaders]);
    const dialling = { connectMs: settings.upstreamConnectMs, headMs: settings.upstreamHeadMs ?? 0, ca };
    this.upstream = new Http1Client(dialling);
    const rechecks = keys ? { keys, everyMs: settings.keyFreshMs * RECHECK_PART, logger } : undefined;
    this.upgrades = new Upgrades(ownHeaders, dialling, rechecks);
    this.recording = new CallRecording(settings, { maskers, plugins, logger, clock, metrics, spool, responses });
    this.cassettes = new Cassettes(deps.cassettes ?? NO_CASSETTES, settings.mode, maskers, logger);
    const refusals = new CredentialRefusals(addresses, new WrongCredentials(settings.wrongCredentials));
    const own = new OwnEndpoints({
      metrics,
      spool,
      log,
      isStopping: () => this.stopping,
      capture: captureText(settings.capture),
      metricsToken: isCloud ? settings.metricsToken : null,
      refusals,
      cassettes: this.cassettes,
    });
    const allow = isCloud ? forwardAllow(settings.forwardAllow, settings.allowPrivate) : null;
    const { upstream, upgrades, recording, cassettes } = this;
    this.server = new GatewayServer({
      settings,
      resolver: new TargetResolver(providers, allow, () => this.addresses()),
      keys: keys && keysWithRules(keys, recording.rules),
      ...{ refusals, ownHeaders, upstream, upgrades, recording, cassettes, own, metrics, log },
    });
  }

  /** Takes requests. @returns the port it listens on. */
  async listen(): Promise<{ port: number }> {
    const { http } = this.server;
    // In local mode all calls are of one project, whose rules are asked for before the first.
    if (this.settings.mode === 'local' && !this.cassettes.areAlone) await this.recording.rules.ready(null);
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject);
      http.listen(this.settings.port, this.settings.host, () => resolve());
    });
    http.on('error', (error) => this.logger.error({ err: error }, 'the listener failed'));
    const { sweepMs } = this.arrival;
    this.bodyLooks = setInterval(() => this.server.lookForBodies(this.arrival), sweepMs).unref();
    return { port: (http.address() as AddressInfo).port };
  }

  /** Serves as before, but with `/readyz` at 503, and lets each answer end its connection: clients go elsewhere. */
  announceStop(): void {
    this.stopping = true;
    this.server.endConnections();
  }

  /** Takes no more requests, lets those in flight end, hands the recordings over; takes `shutdownMs` at most. */
  async close(): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    this.announceStop();
    const deadline = performance.now() + this.settings.shutdownMs;
    const { http } = this.server;
    http.close();
    // Two thirds of the time are the calls', the rest the spool's.
    while (this.server.inFlight > 0 && performance.now() < deadline - this.settings.shutdownMs / 3) {
      http.closeIdleConnections();
      await sleep(10);
    }
    clearInterval(this.bodyLooks);
    this.server.breakOff();
    this.upgrades.close();
    http.closeAllConnections();
    await this.spool.stopRecovery();
    await this.recording.drain(Math.max(0, deadline - performance.now()) / 2);
    this.upstream.close();
    await this.keys?.close();
    await this.spool.close(Math.max(0, deadline - performance.now() - 100));
    await this.recording.close();
    await this.responses.close();
    this.cassettes.close();
  }

  /** Where people find the gateway and the API. In cloud mode balancers and names of the operator's stand before both. */
  private addresses(): Addresses {
    const listening = this.server.http.address() as AddressInfo | null;
    if (this.settings.mode === 'cloud' || listening === null) return { gateway: null, api: null };
    return localAddresses(this.settings.host, listening.port, this.settings.apiUrl);
  }
}
