import type { IncomingMessage, ServerResponse } from 'node:http';
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
  systemClock,
  type Clock,
  type LoadedMasker,
  type Logger,
  type Named,
  type PluginEntry,
} from '@spandrel/kernel';
import { Registry } from '@prometheus-io/client';
import type { Provider, RequestHead } from '@spandrel/plugin-api';
import { Cassettes } from './cassette/cassettes.js';
import { CassetteSettings } from './cassette/cassette.settings.js';
import { answerError, answerErrorOn, type GatewayError } from './forward/answer-error.js';
import { Forward, type ForwardHost } from './forward/forward.js';
import { Upgrades } from './forward/upgrade.js';
import type { CallerKey } from './access/caller-key.js';
import { CredentialClient, KeyChecks } from './access/key-checks.js';
import { GatewayServer } from './gateway-server.js';
import type { GatewaySettings } from './gateway.settings.js';
import { GatewayMetrics } from './metrics.js';
import { OwnEndpoints } from './own-endpoints.js';
import { keysWithRules } from './masking/recording-rules.js';
import { BackgroundResponses } from './recording/background-responses.js';
import type { Call } from './recording/call.js';
import { captureText } from './recording/capture.js';
import type { Outcome } from './recording/call-facts.js';
import { CallRecording } from './recording/call-recording.js';
import { UnorderedList } from './unordered-list.js';
import { RequestLog, type GatewayLine } from './request-log.js';
import { RecordingSpool } from './spool/recording-spool.js';
import { forwardAllow, ProviderTable } from './target/provider-table.js';
import { FORWARD_HEADER, TargetResolver, type Target } from './target/resolve-target.js';
import { localAddresses, type Addresses } from './target/wrong-address.js';
import { Http1Client } from './upstream/http1-client.js';
import { UsageQuestion } from './usage/usage-question.js';
import type { UpstreamError } from './upstream/upstream-client.js';

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

/** A recording proxy that can be started and stopped once. */
export interface Gateway {
  /** Takes requests. @returns the port it listens on. */
  listen(): Promise<{ port: number }>;
  /** Serves as before, but with `/readyz` at 503, and lets each answer end its connection: clients go elsewhere. */
  announceStop(): void;
  /** Takes no more requests, lets those in flight end, hands the recordings over; takes `shutdownMs` at most. */
  close(): Promise<void>;
}

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
  const { clock = systemClock, logger } = deps;
  const responses = await BackgroundResponses.open(settings.spoolDir, clock, logger);
  return new RunningGateway(settings, deps, providers, metrics, keys, spool, responses);
}

function keyChecksOf(settings: GatewaySettings, { logger, clock = systemClock, tick }: GatewayDeps): KeyChecks {
  const client = new CredentialClient(settings.apiUrl, settings.keyCheckMs);
  const { keyFreshMs: freshMs, keyRefusedMs: refusedMs, keyPatienceMs: patienceMs } = settings;
  return new KeyChecks(client, logger, clock, { freshMs, refusedMs, patienceMs, ...(tick && { tick }) });
}

const CASSETTES_HAVE_NO_WEBSOCKETS: GatewayError = {
  code: 'http_required',
  message: 'A cassette has calls over HTTP: this one came as a WebSocket, which is not passed on.',
};

const NO_CASSETTES: CassetteSettings = { dir: null, mode: 'replay', timing: 'none', name: null };

/** From a request to its span: `GatewayServer` → `Forward` → `Call` → `CallRecording` → `RecordingSpool`. */
class RunningGateway implements Gateway, ForwardHost {
  readonly upstream: Http1Client;
  readonly ownHeaders: ReadonlySet<string>;

  private readonly logger: Logger;
  private readonly arrival: ArrivalLimits;
  private readonly server: GatewayServer;
  private readonly upgrades: Upgrades;
  private readonly recording: CallRecording;
  private readonly cassettes: Cassettes;
  private readonly forwards = new UnorderedList<Forward>();
  private readonly log: RequestLog | null;
  private stopping = false;
  private closing = false;
  private bodyLooks: NodeJS.Timeout | undefined;

  /** @param keys cloud mode's. */
  constructor(
    private readonly settings: GatewaySettings,
    deps: GatewayDeps,
    providers: ProviderTable,
    private readonly metrics: GatewayMetrics,
    private readonly keys: KeyChecks | null,
    private readonly spool: RecordingSpool,
    private readonly responses: BackgroundResponses,
  ) {
    const { logger, clock = systemClock, maskers, plugins = null, ca } = deps;
    const isCloud = settings.mode === 'cloud';
    this.logger = logger;
    this.arrival = deps.arrival ?? ARRIVAL_LIMITS;
    metrics.watch(() => ({ ...spool.state, inFlight: this.forwards.size }));
    const addresses = new ClientAddresses(settings.trustProxy);
    const log = deps.accessLog ? new RequestLog(deps.accessLog, addresses) : null;
    this.log = log;
    this.ownHeaders = new Set([FORWARD_HEADER, ...providers.baseHeaders]);
    const dialling = { connectMs: settings.upstreamConnectMs, headMs: settings.upstreamHeadMs ?? 0, ca };
    this.upstream = new Http1Client(dialling);
    const rechecks = keys ? { keys, everyMs: settings.keyFreshMs * RECHECK_PART, logger } : undefined;
    this.upgrades = new Upgrades(this.ownHeaders, dialling, rechecks);
    this.recording = new CallRecording(settings, { maskers, plugins, logger, clock, metrics, spool, responses });
    const { rules } = this.recording;
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
    this.server = new GatewayServer(
      new TargetResolver(providers, allow, () => this.addresses()),
      {
        forward: (req, res, head, target, caller) => this.forward(req, res, head, target, caller),
        upgrade: (req, socket, first, head, target, caller, answer) => {
          if (this.cassettes.isNamedBy(req)) {
            Object.assign(answer, answerErrorOn(socket, CASSETTES_HAVE_NO_WEBSOCKETS, target.wire?.provider ?? null));
            return;
          }
          const recorded = settings.websocketRecording ? this.recording.ofWebSocket(req, head, target, caller) : null;
          this.upgrades.pass(req, socket, first, target, caller, answer, recorded);
        },
        own: (path, req, res) => own.handle(path, req, res),
        greet: (req, res) => own.greet(req, res),
      },
      keys && keysWithRules(keys, rules),
      this.cassettes.areAlone ? { ready: () => undefined } : rules,
      refusals,
      settings.websocketRecording,
      log,
    );
  }

  async listen(): Promise<{ port: number }> {
    const { http } = this.server;
    // In local mode all calls are of one project, whose rules are asked for before the first.
    if (this.settings.mode === 'local' && !this.cassettes.areAlone) await this.recording.rules.ready(null);
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject);
      http.listen(this.settings.port, this.settings.host, () => resolve());
    });
    http.on('error', (error) => this.logger.error({ err: error }, 'the listener failed'));
    this.bodyLooks = setInterval(() => {
      for (const forward of this.forwards.all()) forward.lookForBody(this.arrival);
    }, this.arrival.sweepMs).unref();
    return { port: (http.address() as AddressInfo).port };
  }

  announceStop(): void {
    this.stopping = true;
    this.server.endConnections();
  }

  async close(): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    this.announceStop();
    const deadline = performance.now() + this.settings.shutdownMs;
    const { http } = this.server;
    http.close();
    // Two thirds of the time are the calls', the rest the spool's.
    while (this.forwards.size > 0 && performance.now() < deadline - this.settings.shutdownMs / 3) {
      http.closeIdleConnections();
      await sleep(10);
    }
    clearInterval(this.bodyLooks);
    for (const forward of this.forwards.all()) forward.stop();
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

  onForwarded(forward: Forward, status: number, outcome: Outcome): void {
    const { providerName, endpoint } = forward.target;
    this.metrics.request(
      providerName,
      endpoint?.name ?? 'other',
      status,
      (performance.now() - forward.startedTick) / 1_000,
    );
    this.log?.forwarded(forward, status, outcome.kind === 'client-gone');
  }

  onSent(forward: Forward): void {
    this.forwards.remove(forward);
  }

  onCallEnded(call: Call, outcome: Outcome): void {
    this.recording.end(call, outcome);
  }

  onUpstreamError(forward: Forward, error: UpstreamError): void {
    this.metrics.upstreamErrors.inc({ provider: forward.target.providerName, kind: error.kind });
  }

  onResend(): void {
    this.metrics.upstreamResends.inc();
  }

  /** Where people find the gateway and the API. In cloud mode balancers and names of the operator's stand before both. */
  private addresses(): Addresses {
    const listening = this.server.http.address() as AddressInfo | null;
    if (this.settings.mode === 'cloud' || listening === null) return { gateway: null, api: null };
    return localAddresses(this.settings.host, listening.port, this.settings.apiUrl);
  }

  private forward(
    req: IncomingMessage,
    res: ServerResponse,
    head: RequestHead,
    target: Target,
    caller: CallerKey | null,
  ): void {
    const { endpoint } = target;
    const upstream = this.cassettes.upstreamOf(req, target, this.upstream);
    if (upstream !== null && 'code' in upstream) {
      const answered = answerError(res, upstream, target.wire?.provider ?? null);
      this.log?.answered(req, answered);
      return;
    }
    const call = this.cassettes.areAlone ? null : this.recording.begin(req, head, target, caller);
    const question = this.settings.askForUsage && endpoint ? UsageQuestion.of(endpoint, req.headers) : null;
    const forward = new Forward(this, req, res, target, call, question, upstream ?? this.upstream);
    this.log?.begin(req);
    this.forwards.add(forward);
    forward.start();
  }
}
