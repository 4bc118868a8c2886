/** The far end of {@link CallReader}: reads long calls with the plugins of the gateway, which it loads for itself. */
import { workerData } from 'node:worker_threads';
import type { RecordingMasking } from '@spandrel/contract';
import { createLogger, loadPlugins, type PluginEntry } from '@spandrel/kernel';
import type { Masking } from '@spandrel/masking/engine';
import { maskingOf } from '../masking/recording-rules.js';
import { ProviderTable } from '../target/provider-table.js';
import { unpackBody, type PackedCall, type ReadCall } from './packed-call.js';
import { buildFinal } from './build-recording.js';
import { Secrets } from './secrets.js';

const { plugins } = workerData as { plugins: readonly PluginEntry[] };
const logger = createLogger('warn', 'gateway');
const { providers: loaded, maskers } = await loadPlugins(plugins, logger, ['provider', 'masker']);
const providers = new ProviderTable(loaded, logger);

/** Rules that are remembered, by their text. */
const MASKINGS_MAX = 64;
const maskings = new Map<string, Masking | null>();
let failedMaskers: string[] = [];

/**
 * Makes the recording of a call.
 * @throws Error when the plugins of this thread do not know its endpoint.
 */
export function readCall(call: PackedCall): ReadCall {
  const { facts, answer, outcome, endedTick } = call;
  const { provider: name, method, path } = facts.wire;
  const entry = providers.byName(name);
  // Calls over HTTP are no GET.
  const headers = method === 'GET' ? { upgrade: 'websocket' } : {};
  const endpoint = entry && providers.endpoint(entry, { method, path, headers });
  if (endpoint?.name !== call.endpoint) throw new Error(`the endpoint ${call.endpoint} is not known by its path`);
  failedMaskers = [];
  const record = {
    facts,
    wire: { entry: entry!, endpoint },
    request: unpackBody(call.request),
    answer,
    response: unpackBody(call.response),
    outcome,
    endedTick,
  };
  const recording = buildFinal(record, maskingFor(call.rules), new Secrets(call.secrets));
  return { ...recording, failedMaskers };
}

function maskingFor(rules: RecordingMasking | null): Masking | null {
  if (rules === null) return null;
  const name = JSON.stringify(rules);
  let masking = maskings.get(name);
  if (masking === undefined) {
    if (maskings.size >= MASKINGS_MAX) maskings.delete(maskings.keys().next().value!);
    masking = maskingOf(rules, maskers, (masker) => failedMaskers.push(masker));
    maskings.set(name, masking);
  }
  return masking;
}
