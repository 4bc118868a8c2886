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
import { FailedTexts } from '@spandrel/masking/engine';
import { Forward, type ForwardHost } from './forward/forward.js';
import { Upgrades } from './forward/upgrade.js';
import type { CallerKey } from './access/caller-key.js';
import { CredentialClient } from './access/credential-client.js';
import { KeyChecks } from './access/key-checks.js';
import { KeySeal } from './access/key-seal.js';
import { GatewayServer } from './gateway-server.js';
import type { GatewaySettings } from './gateway.settings.js';
import { GatewayMetrics, type GatewayState } from './metrics.js';
import { OwnEndpoints } from './own-endpoints.js';
import { keysWithRules, RecordingRules } from './masking/recording-rules.js';
import { MaskingClient } from './masking/masking-client.js';
import { BeginCall } from './recording/begin-call.js';
import { CallReader } from './recording/call-reader.js';
import type { Call } from './recording/call.js';
import { captureText } from './recording/capture.js';
import type { Outcome } from './recording/call-facts.js';
import type { FinalRecording } from './recording/build-recording.js';
import { Recorder, type RecordingSink } from './recording/recorder.js';
import { RequestLog, type GatewayLine } from './request-log.js';
import { Delivery } from './spool/delivery.js';
import { IngestClient } from './spool/ingest-client.js';
import { RecordingStore } from './spool/recording-store.js';
import { RecoverRecordings } from './spool/recover-recordings.js';
import { Spool, type DropReason } from './spool/spool.js';
import type { SpoolItem } from './spool/spool-item.js';
import { forwardAllow } from './target/base-url.js';
import { ProviderTable } from './target/provider-table.js';
import { FORWARD_HEADER, TargetResolver, type Target } from './target/resolve-target.js';
import { localAddresses, type Addresses } from './target/wrong-address.js';
import { Http1Client } from './upstream/http1-client.js';
import { UsageQuestion } from './usage/usage-question.js';
import type { UpstreamError } from './upstream/upstream-client.js';

export interface GatewayDeps {
  /** The loaded providers, in the order of config. */
  providers: readonly Named<Provider>[];
  /** The loaded maskers. */
  maskers: readonly LoadedMasker[];
  /** The config that these were loaded by, for threads that read long calls; without it all calls are read at once. */
  plugins?: readonly PluginEntry[];
  logger: Logger;
  clock?: Clock;
  /** Clock by which answers about keys grow old (`KeyCheckOptions.tick`). */
  tick?: () => number;
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
 * The part of the life of the API's answer about a key after which open WebSockets are looked at again. Asked anew after
 * three quarters of it, a key that is refused is seen before all of it is over.
 */
const RECHECK_PART = 0.1;

/** From this age on a call that runs is in the spool directory: what a kill would leave of it. */
const KEEP_MS = 20;

const NO_KEY = { digest: null, sealed: null };

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
  const store =
    settings.spoolDir === null
      ? null
      : await RecordingStore.open(settings.spoolDir, settings.spoolSync, deps.logger, metrics);
  const gateway = new RunningGateway(settings, deps, providers, metrics, store);
  await gateway.recover();
  return gateway;
}

class RunningGateway implements Gateway, ForwardHost, RecordingSink {
  readonly upstream: Http1Client;
  readonly ownHeaders: ReadonlySet<string>;

  private readonly logger: Logger;
  private readonly arrival: ArrivalLimits;
  private readonly server: GatewayServer;
  private readonly upgrades: Upgrades;
  private readonly spool: Spool;
  private readonly ingest: IngestClient;
  private readonly delivery: Delivery;
  private readonly maskingClient: MaskingClient;
  private readonly rules: RecordingRules;
  /** `null` without a spool directory. */
  private readonly recovery: RecoverRecordings | null;
  private readonly reader: CallReader;
  private readonly recorder: Recorder;
  private readonly beginCall: BeginCall;
  private readonly forwards = new Set<Forward>();
  private readonly log: RequestLog | null;
  /** Cloud mode's. */
  private readonly credentials: CredentialClient | null = null;
  private readonly keys: KeyChecks | null = null;
  /** `null` without a credential of the gateway's own. */
  private readonly seal: KeySeal | null;
  private stopping = false;
  private closing = false;
  private bodyLooks: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: GatewaySettings,
    deps: GatewayDeps,
    providers: ProviderTable,
    private readonly metrics: GatewayMetrics,
    private readonly store: RecordingStore | null,
  ) {
    const clock = deps.clock ?? systemClock;
    metrics.watch(() => this.state());
    this.logger = deps.logger;
    this.arrival = deps.arrival ?? ARRIVAL_LIMITS;
    const addresses = new ClientAddresses(settings.trustProxy);
    this.log = deps.accessLog ? new RequestLog(deps.accessLog, addresses) : null;
    this.ownHeaders = new Set([FORWARD_HEADER, ...providers.baseHeaders]);
    this.upstream = new Http1Client({
      connectMs: settings.upstreamConnectMs,
      headMs: settings.upstreamHeadMs,
      ca: deps.ca,
    });
    this.spool = new Spool({ items: settings.spoolItems, bytes: settings.spoolBytes }, this);
    this.ingest = new IngestClient(settings.apiUrl, settings.apiKey, settings.deliverMs);
    if (settings.mode === 'cloud') {
      this.credentials = new CredentialClient(settings.apiUrl, settings.keyCheckMs);
      const { keyFreshMs: freshMs, keyRefusedMs: refusedMs, keyPatienceMs: patienceMs } = settings;
      this.keys = new KeyChecks(this.credentials, this.logger, clock, {
        freshMs,
        refusedMs,
        patienceMs,
        ...(deps.tick && { tick: deps.tick }),
      });
    }
    const rechecks = this.keys
      ? { keys: this.keys, everyMs: settings.keyFreshMs * RECHECK_PART, logger: this.logger }
      : undefined;
    const dialling = { connectMs: settings.upstreamConnectMs, headMs: settings.upstreamHeadMs, ca: deps.ca };
    this.upgrades = new Upgrades(this.ownHeaders, dialling, rechecks);
    this.seal = settings.apiKey === null ? null : new KeySeal(settings.apiKey);
    this.delivery = new Delivery(this.spool, this.ingest, this.logger, {
      flushMs: settings.flushMs,
      onUnauthenticated: (digest) => this.keys?.forget(digest),
    });
    this.maskingClient = new MaskingClient(settings.apiUrl, settings.apiKey, settings.keyCheckMs);
    const failed = new FailedTexts(this.logger, (masker) => metrics.maskerFailed(masker));
    const onMaskerFailed = (masker: string): void => failed.note(masker);
    this.rules = new RecordingRules(this.maskingClient, deps.maskers, onMaskerFailed);
    const { rules, seal } = this;
    this.beginCall = new BeginCall({ settings, clock, logger: this.logger, isKept: store !== null, rules });
    const { readHereBytes: hereBytesMax, readMs } = settings;
    this.reader = new CallReader(
      { plugins: deps.plugins ?? null, logger: this.logger, onMaskerFailed },
      { hereBytesMax, readMs },
    );
    this.recovery =
      store && new RecoverRecordings({ store, spool: this.spool, delivery: this.delivery, seal, logger: this.logger });
    const { announceMs, recordBytes: decodedBytesMax, spoolItems: withheldMax } = settings;
    const keepMs = store ? Math.min(KEEP_MS, announceMs) : announceMs;
    const recording = { announceMs, keepMs, decodedBytesMax, withheldMax };
    this.recorder = new Recorder(this, this.logger, recording, rules, this.reader, {
      onFailed: (call) => this.lose(call.facts.id, 'failed'),
      onWithheld: (reason) => metrics.contentWithheld(reason),
    });
    rules.onKnown(() => this.recorder.lookAgain());
    const { metrics: shown, spool, delivery, ingest, log } = this;
    const isStopping = (): boolean => this.stopping;
    const metricsToken = settings.mode === 'cloud' ? settings.metricsToken : null;
    const refusals = new CredentialRefusals(addresses, new WrongCredentials(settings.wrongCredentials));
    const capture = captureText(settings.capture);
    const parts = { metrics: shown, spool, delivery, ingest, log, isStopping, capture, metricsToken, refusals };
    const own = new OwnEndpoints(parts);
    const allow = settings.mode === 'cloud' ? forwardAllow(settings.forwardAllow, settings.allowPrivate) : null;
    this.server = new GatewayServer(
      new TargetResolver(providers, allow, () => this.addresses()),
      {
        forward: (req, res, head, target, caller) => this.forward(req, res, head, target, caller),
        upgrade: (...upgrade) => this.upgrades.pass(...upgrade),
        own: (path, req, res) => own.handle(path, req, res),
      },
      this.keys && keysWithRules(this.keys, rules),
      rules,
      refusals,
      log,
    );
  }

  /** Queues what a former run left in the spool directory. */
  async recover(): Promise<void> {
    await this.recovery?.start();
  }

  async listen(): Promise<{ port: number }> {
    const { http } = this.server;
    // In local mode all calls are of one project, whose rules are asked for before the first.
    if (this.settings.mode === 'local') await this.rules.ready(null);
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject);
      http.listen(this.settings.port, this.settings.host, () => resolve());
    });
    http.on('error', (error) => this.logger.error({ err: error }, 'the listener failed'));
    this.bodyLooks = setInterval(() => {
      for (const forward of this.forwards) forward.lookForBody(this.arrival);
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
    for (const forward of this.forwards) forward.stop();
    this.upgrades.close();
    http.closeAllConnections();
    await this.recovery?.stop();
    await this.recorder.drain(Math.max(0, deadline - performance.now()) / 2);
    await this.reader.close();
    await this.delivery.flush(Math.max(0, deadline - performance.now() - 100));
    this.delivery.close();
    this.upstream.close();
    this.keys?.close();
    await this.credentials?.close();
    await this.ingest.close();
    this.rules.close();
    await this.maskingClient.close();
    await this.leaveSpool();
  }

  add(item: SpoolItem, former: SpoolItem | null): void {
    const queue = this.spool.add(item, former);
    if (queue) this.delivery.wake(queue);
  }

  keep(call: Call, { trace, span }: FinalRecording, finished: boolean, onKept?: () => void): void {
    const { store, seal } = this;
    if (store === null) {
      onKept?.();
      return;
    }
    const { digest, sealed } = call.caller ? seal!.seal(call.caller) : NO_KEY;
    store.put({ id: call.facts.id, digest, sealed, trace, span, finished }, onKept);
  }

  onDelivered(item: SpoolItem): void {
    if (!item.finished) return;
    this.metrics.recordingDelivered();
    this.store?.remove(item.id);
  }

  onDropped(item: SpoolItem, reason: DropReason): void {
    this.lose(item.id, reason);
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
    this.forwards.delete(forward);
  }

  onCallEnded(call: Call, outcome: Outcome): void {
    this.recorder.end(call, outcome);
  }

  onUpstreamError(forward: Forward, error: UpstreamError): void {
    this.metrics.upstreamError(forward.target.providerName, error.kind);
  }

  onResend(): void {
    this.metrics.upstreamResend();
  }

  /** Where people find the gateway and the API. In cloud mode balancers and names of the operator's stand before both. */
  private addresses(): Addresses {
    const listening = this.server.http.address() as AddressInfo | null;
    if (this.settings.mode === 'cloud' || listening === null) return { gateway: null, api: null };
    return localAddresses(this.settings.host, listening.port, this.settings.apiUrl);
  }

  private state(): GatewayState {
    return {
      spoolItems: this.spool.count,
      spoolBytes: this.spool.bytes,
      spoolUnreadable: this.recovery?.unreadableFiles ?? 0,
      spoolQuarantined: this.store?.quarantinedFiles ?? 0,
      inFlight: this.forwards.size,
    };
  }

  private forward(
    req: IncomingMessage,
    res: ServerResponse,
    head: RequestHead,
    target: Target,
    caller: CallerKey | null,
  ): void {
    const { endpoint } = target;
    const call = endpoint === undefined ? null : this.beginCall.execute(req, head, { ...target, endpoint }, caller);
    const question = this.settings.askForUsage && endpoint ? UsageQuestion.of(endpoint, req.headers) : null;
    const forward = new Forward(this, req, res, target, call, question);
    this.log?.begin(req);
    this.forwards.add(forward);
    if (call) this.recorder.begin(call);
    forward.start();
  }

  /** Without a spool directory undelivered recordings are lost; with one they wait there for the next start. */
  private async leaveSpool(): Promise<void> {
    if (this.store) {
      await this.store.close();
      return;
    }
    const lost = this.spool.count;
    this.spool.dropAll('stopped');
    if (lost > 0) this.logger.warn({ recordings: lost }, 'stopped before the API took all recordings');
  }

  private lose(id: string, reason: DropReason): void {
    this.metrics.recordingDropped(reason);
    this.store?.remove(id);
  }
}
