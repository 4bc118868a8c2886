import { apiBase } from './api/http.js';
import type { DeliverySettings } from './delivery/delivery-settings.js';
import type { Mask } from './recording/recording.js';

/** Options of a {@link Spandrel}; those left out are read from variables where they have one. */
export interface SpandrelOptions {
  /** Base URL of the server, with or without `/api`: `SPANDREL_API_URL`, else `http://127.0.0.1:3000`. */
  apiUrl?: string | undefined;
  /** Key of a project, which cloud mode needs: `SPANDREL_API_KEY`. */
  apiKey?: string | undefined;
  /** Base URL of the gateway: `SPANDREL_GATEWAY_URL`, else port 3001 beside the default API; else what the server says. */
  gatewayUrl?: string | undefined;
  /** `false`: nothing is recorded, and every call only runs the function it is given. `SPANDREL_ENABLED`, else `true`. */
  enabled?: boolean | undefined;
  /** Longest JSON of an input, an output or metadata; 1 MiB (1,048,576). What is longer is cut. */
  payloadBytes?: number | undefined;
  /** What waits for the server at most; 32 MiB (33,554,432). */
  queueBytes?: number | undefined;
  /** Gives what is recorded in the place of inputs, outputs, metadata and errors. */
  mask?: Mask | undefined;
  /** `false` records what members hold that are named like secrets (`apiKey`, `password`, `authorization` …), too. */
  maskSecrets?: boolean | undefined;
  /** Origins beside the gateway that `spandrel.fetch` sends `traceparent` to: `https://search.example.com`. */
  propagateTo?: readonly string[] | undefined;
  /** Sends what ends at once, for functions that are frozen after their answer. */
  immediate?: boolean | undefined;
  /** Keeps a function awake until all is sent: it is given a promise, as `context.waitUntil` of workers takes it. */
  waitUntil?: ((settled: Promise<void>) => void) | undefined;
  /** Instead of the global one. */
  fetch?: typeof fetch | undefined;
  /** Takes what a person should know: spans were dropped, the key is refused. `console.warn` when left out. */
  onWarning?: ((sentence: string) => void) | undefined;
  /** @internal For tests and benches. */
  delivery?: Partial<Pick<DeliverySettings, 'pace' | 'timers' | 'random'>> | undefined;
}

export type Settings = ReturnType<typeof readSettings>;

const API_URL = 'http://127.0.0.1:3000';
const GATEWAY_URL = 'http://127.0.0.1:3001';
const PAYLOAD_BYTES = 1_048_576;
const PAYLOAD_BYTES_MIN = 1_024;
const QUEUE_BYTES = 33_554_432;
const ON = /^(true|1|)$/i;
const OFF = /^(false|0)$/i;

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isFunction: Check = (value) => typeof value === 'function';
const isSize: Check = (value) => Number.isSafeInteger(value) && (value as number) >= PAYLOAD_BYTES_MIN;

/** What each option must be, for the check and for the sentence about one that is not. */
const FORMS: Record<keyof SpandrelOptions, [Check, string]> = {
  apiUrl: [isText, 'a text'],
  apiKey: [isText, 'a text'],
  gatewayUrl: [isText, 'a text'],
  enabled: [isBoolean, 'true or false'],
  payloadBytes: [isSize, `a whole number of at least ${PAYLOAD_BYTES_MIN}`],
  queueBytes: [isSize, `a whole number of at least ${PAYLOAD_BYTES_MIN}`],
  mask: [isFunction, 'a function'],
  maskSecrets: [isBoolean, 'true or false'],
  propagateTo: [(value) => Array.isArray(value) && value.every(isText), 'a list of origins'],
  immediate: [isBoolean, 'true or false'],
  waitUntil: [isFunction, 'a function'],
  fetch: [isFunction, 'a function'],
  onWarning: [isFunction, 'a function'],
  delivery: [(value) => typeof value === 'object', 'an object'],
};

/** @returns options, variables and defaults. @throws TypeError for an option that is unknown or malformed. */
export function readSettings(options: SpandrelOptions) {
  for (const [name, value] of Object.entries(options)) {
    const [check, form] = FORMS[name as keyof SpandrelOptions] ?? [];
    if (check === undefined)
      throw new TypeError(`Spandrel has no option "${name}"; it has ${Object.keys(FORMS).slice(0, -1).join(', ')}`);
    if (value !== undefined && !check(value)) throw new TypeError(`the option ${name} must be ${form}`);
  }
  const apiUrl = options.apiUrl ?? variable('SPANDREL_API_URL');
  const gatewayUrl =
    options.gatewayUrl ?? variable('SPANDREL_GATEWAY_URL') ?? (apiUrl === undefined ? GATEWAY_URL : undefined);
  return {
    apiUrl: apiBase(checkedUrl(apiUrl ?? API_URL, 'apiUrl (SPANDREL_API_URL)')),
    apiKey: options.apiKey ?? variable('SPANDREL_API_KEY'),
    gatewayUrl: gatewayUrl && checkedUrl(gatewayUrl, 'gatewayUrl (SPANDREL_GATEWAY_URL)'),
    isEnabled: options.enabled ?? isOn(variable('SPANDREL_ENABLED') ?? ''),
    payloadBytes: options.payloadBytes ?? PAYLOAD_BYTES,
    queueBytes: options.queueBytes ?? QUEUE_BYTES,
    mask: options.mask,
    maskSecrets: options.maskSecrets ?? true,
    propagateTo: (options.propagateTo ?? []).map((url) => new URL(checkedUrl(url, 'propagateTo')).origin),
    immediate: options.immediate ?? false,
    waitUntil: options.waitUntil,
    fetch: options.fetch,
    onWarning: options.onWarning ?? warn,
    delivery: options.delivery ?? {},
  };
}

/** @returns the value of a variable of the environment; undefined where it is empty, or the runtime gives none. */
function variable(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
  } catch {
    // Deno asks for a permission.
    return undefined;
  }
}

function isOn(text: string): boolean {
  if (!ON.test(text) && !OFF.test(text)) throw new TypeError(`SPANDREL_ENABLED must be true or false, not "${text}"`);
  return ON.test(text);
}

function checkedUrl(url: string, setting: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol) && parsed.username === '')
    return parsed.href.replace(/[?#].*$/s, '').replace(/(?<!\/)\/+$/, '');
  // It may hold a password.
  throw new TypeError(`${setting} must be an http or https URL without a user${parsed ? '' : `, not "${url}"`}`);
}

function warn(sentence: string): void {
  // oxlint-disable-next-line no-console -- The application has no other place for it.
  globalThis.console?.warn(`spandrel: ${sentence}`);
}
