import { isCredential } from '@spandrel/contract';
import { defineSettings, setting, settingValue, type CoreSettings } from '@spandrel/kernel/launch';
import { z } from 'zod';
import { parseCapture } from './recording/capture.js';

/** `Full`, `Off` or `Preview(N)`. */
const capture = z.string().transform((text, context) => {
  const parsed = parseCapture(text);
  if (parsed) return parsed;
  context.addIssue({ code: 'custom', message: 'must be Full, Off or Preview(N), such as Preview(200)' });
  return z.NEVER;
});

/** When the spool directory's files are brought to the disk itself. */
const SPOOL_SYNCS = ['never', 'interval', 'always'] as const;
export type SpoolSync = (typeof SPOOL_SYNCS)[number];

/** An API key or a JWT of a project; the API knows whether it is valid. */
const credential = z.string().refine(isCredential, 'must be an API key (spn_sk_…) as it was made, or a JWT');

/** What users set about the gateway. Other programs read these names too: `serve` starts it, all of them list flags. */
export class GatewayUserSettings extends defineSettings({
  enabled: setting('gateway.enabled', z.boolean(), {
    default: true,
    doc: 'Whether `serve` runs the gateway beside the API, or the API alone.',
    source: { flag: '--no-gateway', kind: 'switch' },
  }),
  /** `null`: the API port plus one. */
  port: setting('gateway.port', settingValue.port.nullable(), {
    default: null,
    doc: 'Port of the gateway; null: the API port plus one.',
    source: { flag: '--gateway-port', variable: 'SPANDREL_GATEWAY_PORT', kind: 'integer' },
  }),
  /** `null`: the API of this machine. */
  apiUrl: setting('gateway.api_url', settingValue.httpUrl.nullable(), {
    default: null,
    doc: "Where the gateway finds the API; null: this machine's API port.",
    source: { variable: 'SPANDREL_API_URL' },
  }),
  /** Without a slash at its end; `null`: known in local mode alone. */
  publicUrl: setting('gateway.public_url', settingValue.httpUrl.nullable(), {
    default: null,
    doc: 'Where applications find the gateway, for the API and the dashboard to show; null: on this machine in local mode, and not known in cloud mode.',
    source: { variable: 'SPANDREL_GATEWAY_URL' },
  }),
  /** The gateway's own credential at the API; `null` in local mode. */
  apiKey: setting('gateway.api_key', credential.nullable(), {
    default: null,
    doc: "The gateway's credential at the API (cloud mode); better given by SPANDREL_API_KEY or SPANDREL_API_KEY_FILE.",
    source: { variable: 'SPANDREL_API_KEY', secret: true },
  }),
  capture: setting('gateway.capture', capture, {
    default: 'Full',
    doc: 'Full, Preview(N) (first N characters of each text) or Off (no input or output).',
    source: { variable: 'SPANDREL_CAPTURE' },
  }),
  /** Whether streamed calls in OpenAI's format are asked for their tokens where their client did not ask. */
  askForUsage: setting('gateway.ask_for_usage', z.boolean(), {
    default: false,
    doc: "Whether the gateway asks for the tokens of streamed calls in OpenAI's format whose client did not (stream_options.include_usage). It changes the request; the chunk that answers it is taken out again.",
    source: { variable: 'SPANDREL_ASK_FOR_USAGE', kind: 'boolean' },
  }),
  /** An absolute path. */
  spoolDir: setting('gateway.spool_dir', z.string().min(1).nullable(), {
    default: null,
    doc: 'Recordings that the API has not taken yet are kept in memory, and on disk too where this names a folder.',
    isPath: true,
    source: { variable: 'SPANDREL_SPOOL_DIR' },
  }),
  /** What a power cut may take of {@link spoolDir}. */
  spoolSync: setting('gateway.spool_sync', z.enum(SPOOL_SYNCS), {
    default: 'interval',
    doc: 'What a power cut takes of the folder. never: what the system has not brought to the disk (some 30 seconds); interval: the last second; always: nothing, and the end of each answer waits for the disk. No crash of the gateway takes a recording of a call that is over.',
  }),
  spoolItems: setting('gateway.spool_items', z.number().int().min(1), {
    default: 10_000,
    doc: 'How many recordings are kept; beyond it the newest ones are dropped and counted.',
  }),
  spoolBytes: setting('gateway.spool_bytes', settingValue.bytes, {
    default: 67_108_864,
    doc: 'How many bytes of recordings are kept; beyond it the newest ones are dropped and counted.',
  }),
  recordBytes: setting('gateway.record_bytes', settingValue.bytes, {
    default: 8_388_608,
    doc: "How much of a request's or an answer's body is kept whole until it is recorded; behind that long texts are cut. Passing on is never limited.",
  }),
  /** Whether calls that pass by WebSocket are recorded; those of the Responses API pass only then. */
  websocketRecording: setting('gateway.websocket_recording', z.boolean(), {
    default: false,
    doc: "Whether calls of OpenAI's Responses and Realtime APIs and of Gemini's Live API that come by WebSocket are recorded. When false one to the Responses API is refused (426), so that its client uses HTTP, and one to the others passes unrecorded.",
  }),
  /** Milliseconds; `null`: no limit. */
  upstreamHeadMs: setting('gateway.upstream_head', settingValue.seconds(1, 86_400).nullable(), {
    default: null,
    doc: "Longest time, in seconds, from the end of a request to the beginning of its answer; null: none, the client's own patience decides.",
  }),
  forwardAllow: setting('gateway.forward_allow', settingValue.hosts, {
    default: [],
    doc: 'Cloud mode: hosts that X-Forward-URL may name: host, host:port or *.domain.',
  }),
  allowPrivate: setting('gateway.allow_private', settingValue.hosts, {
    default: [],
    doc: 'Cloud mode: hosts that X-Forward-URL may name though their addresses are not public (models of your own): host, host:port or *.domain. Every caller can then reach them.',
  }),
}) {}

/**
 * Where people find the gateway, for the API to show; `null` where only the operator knows it (cloud mode), where there
 * is none, and while its port is not known.
 * @param listening the port at which it is known to listen.
 */
export function publicGatewayUrl(
  given: Pick<GatewayUserSettings, 'enabled' | 'port' | 'apiUrl' | 'publicUrl'>,
  core: Pick<CoreSettings, 'mode' | 'port'>,
  listening: number | undefined,
): string | null {
  if (given.publicUrl !== null) return given.publicUrl.replace(/(?<!\/)\/+$/, '');
  const port = listening ?? gatewayAddresses(given, core).port;
  return core.mode === 'cloud' || !given.enabled || port === 0 ? null : `http://127.0.0.1:${port}`;
}

/** Where the gateway listens, and where it finds the API. */
export function gatewayAddresses(
  { port, apiUrl }: Pick<GatewayUserSettings, 'port' | 'apiUrl'>,
  api: { port: number },
): { port: number; apiUrl: string } {
  return {
    port: port ?? (api.port === 0 ? 0 : api.port + 1),
    apiUrl: apiUrl === null ? `http://127.0.0.1:${api.port}` : serverAddress(apiUrl),
  };
}

/** @returns the address of a server, which that of its API, `…/api`, stands for as well, without a slash at its end. */
function serverAddress(apiUrl: string): string {
  const { origin, pathname } = new URL(apiUrl);
  return origin + pathname.replace(/(?<!\/)\/+$/, '').replace(/\/api$/, '');
}

/** {@link GATEWAY_LIMITS.flushMs} of cloud mode: a credential's deliveries count as requests of its organization. */
export const CLOUD_FLUSH_MS = 200;

/** What code decides, and no user. Sizes in bytes, times in milliseconds. */
export const GATEWAY_LIMITS = {
  /** How long the API's answer about a caller's key is good for, and its refusal. */
  keyFreshMs: 60_000,
  keyRefusedMs: 5_000,
  /** How long a call of a known caller waits for the API's word once the last one is too old. */
  keyPatienceMs: 250,
  /** One question about a key. */
  keyCheckMs: 3_000,
  /** All bodies of all calls in flight together; beyond it recordings are cut short. */
  recordBytesTotal: 256 * 1024 * 1024,
  /** Calls whose bodies have at most so many bytes together are read at once, longer ones in a thread. */
  readHereBytes: 256 * 1024,
  /** How long a thread may read one call. */
  readMs: 5_000,
  /** How long recordings gather before they are sent. */
  flushMs: 20,
  /** From this age on a call is shown as running; one that is over sooner is sent once, whole. */
  reportRunningMs: 200,
  upstreamConnectMs: 10_000,
  /** One delivery to the API. */
  deliverMs: 10_000,
  /** The whole stop: calls in flight first, then the spool. */
  shutdownMs: 10_000,
};

export type GatewaySettings = typeof GATEWAY_LIMITS &
  Omit<GatewayUserSettings, 'enabled' | 'port' | 'apiUrl' | 'publicUrl'> &
  Pick<CoreSettings, 'host' | 'mode' | 'metricsToken' | 'trustProxy' | 'wrongCredentials'> &
  ReturnType<typeof gatewayAddresses>;
