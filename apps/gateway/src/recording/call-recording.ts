import type { IncomingMessage } from 'node:http';
import type { Clock, LoadedMasker, Logger, PluginEntry } from '@spandrel/kernel';
import { FailedTexts } from '@spandrel/masking/engine';
import type { RequestHead } from '@spandrel/plugin-api';
import type { CallerKey } from '../access/caller-key.js';
import type { GatewaySettings } from '../gateway.settings.js';
import { MaskingClient } from '../masking/masking-client.js';
import { RecordingRules } from '../masking/recording-rules.js';
import type { GatewayMetrics } from '../metrics.js';
import type { RecordingSpool } from '../spool/recording-spool.js';
import type { Target } from '../target/resolve-target.js';
import { BeginCall } from './begin-call.js';
import type { Outcome } from './call-facts.js';
import { CallReader } from './call-reader.js';
import type { Call } from './call.js';
import { Recorder } from './recorder.js';

export interface CallRecordingParts {
  maskers: readonly LoadedMasker[];
  /** What threads load that read long calls; `null`: all calls are read at once. */
  plugins: readonly PluginEntry[] | null;
  logger: Logger;
  clock: Clock;
  metrics: GatewayMetrics;
  spool: RecordingSpool;
}

/** From this age on a call that runs is in the spool directory: what a kill would leave of it. */
const KEEP_MS = 20;

/**
 * The recording of calls: {@link BeginCall} makes a {@link Call}, which takes down what passes; {@link Recorder} has it read by
 * {@link CallReader} when it is over, masked by its project's {@link RecordingRules}, and hands it to the spool.
 */
export class CallRecording {
  readonly rules: RecordingRules;
  private readonly maskingClient: MaskingClient;
  private readonly beginCall: BeginCall;
  private readonly reader: CallReader;
  private readonly recorder: Recorder;

  constructor(settings: GatewaySettings, { maskers, plugins, logger, clock, metrics, spool }: CallRecordingParts) {
    const failed = new FailedTexts(logger, (masker) => metrics.failedTexts.inc({ masker }));
    const onMaskerFailed = (masker: string): void => failed.note(masker);
    this.maskingClient = new MaskingClient(settings.apiUrl, settings.apiKey, settings.keyCheckMs);
    this.rules = new RecordingRules(this.maskingClient, maskers, onMaskerFailed);
    const { rules } = this;
    this.beginCall = new BeginCall({ settings, clock, logger, isKept: spool.isOnDisk, rules });
    const { readHereBytes: hereBytesMax, readMs, reportRunningMs, recordBytes, spoolItems } = settings;
    this.reader = new CallReader({ plugins, logger, onMaskerFailed }, { hereBytesMax, readMs });
    const keepMs = spool.isOnDisk ? Math.min(KEEP_MS, reportRunningMs) : reportRunningMs;
    const options = { reportRunningMs, keepMs, decodedBytesMax: recordBytes, awaitingRulesMax: spoolItems };
    this.recorder = new Recorder(spool, logger, options, rules, this.reader, {
      onFailed: (call) => spool.lose(call.facts.id, 'failed'),
      onWithheld: (reason) => metrics.contentWithheld(reason),
    });
    rules.onKnown(() => this.recorder.lookAgain());
  }

  /** A request goes on. @returns its call; `null` when its endpoint is not recorded. */
  begin(req: IncomingMessage, head: RequestHead, target: Target, caller: CallerKey | null): Call | null {
    const { endpoint } = target;
    if (endpoint === undefined) return null;
    const call = this.beginCall.execute(req, head, { ...target, endpoint }, caller);
    this.recorder.begin(call);
    return call;
  }

  /** A call is over; only the first outcome counts. */
  end(call: Call, outcome: Outcome): void {
    this.recorder.end(call, outcome);
  }

  /** Hands all recordings over. @param waitMs how long calls may be read in threads. */
  async drain(waitMs: number): Promise<void> {
    await this.recorder.drain(waitMs);
    await this.reader.close();
  }

  async close(): Promise<void> {
    this.rules.close();
    await this.maskingClient.close();
  }
}
