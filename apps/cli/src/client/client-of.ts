import { setTimeout as sleep } from 'node:timers/promises';
import { createApi, type Api } from '@spandrel/sdk';
import type { CommandIo } from './command-io.js';
import { UsageFault } from './exit-codes.js';

/** Options of every command that asks the server. */
export interface ClientOptions {
  url?: string;
  key?: string;
  json?: boolean;
}

/** Where a server is unless somebody says so. */
const USUAL_URL = 'http://127.0.0.1:3000';

/** What there is of a header: a key with anything else is a slip of the pen. */
const KEY = /^[\x21-\x7e]+$/;

/** The server that is meant, and the credential for it. */
export interface Server {
  url: string;
  key: string | undefined;
}

/**
 * @returns what `--url` and `--key` say, else `SPANDREL_API_URL` and `SPANDREL_API_KEY`.
 * @throws UsageFault for a URL or a key that is none.
 */
export function serverOf(options: ClientOptions, env: CommandIo['env']): Server {
  const [url, urlBy] = given(options.url, '--url', env, 'SPANDREL_API_URL');
  const [key, keyBy] = given(options.key, '--key', env, 'SPANDREL_API_KEY');
  if (url !== undefined && !isHttp(url)) {
    throw new UsageFault(`${urlBy}: must be the address of a server such as ${USUAL_URL}`);
  }
  if (key !== undefined && !KEY.test(key)) {
    throw new UsageFault(`${keyBy}: is no key: it has blanks or characters that a key never has`);
  }
  return { url: (url ?? USUAL_URL).replace(/(?<!\/)\/+$/, ''), key };
}

/**
 * @param signal ends its calls; that of the command unless given, `null` for what has to be done after an interrupt.
 * @returns a client of the server that the options name.
 * @throws UsageFault for a URL or a key that is none.
 */
export function clientOf(options: ClientOptions, io: CommandIo, signal: AbortSignal | null = io.signal): Api {
  return createApi({
    ...serverOf(options, io.env),
    fetch: (input, init) => fetch(input, { ...init, signal: bothOf(init?.signal ?? null, signal) }),
    // A pause between two tries ends with the command, too.
    wait: async (ms, own) => {
      await sleep(ms, undefined, { signal: bothOf(own ?? null, signal) ?? undefined });
    },
  });
}

function bothOf(one: AbortSignal | null, other: AbortSignal | null): AbortSignal | null {
  if (one === null || other === null) return one ?? other;
  return AbortSignal.any([one, other]);
}

/** An empty variable is one that is not set; a secret of CI often ends with a line break. */
function given(
  option: string | undefined,
  flag: string,
  env: CommandIo['env'],
  variable: string,
): [value: string | undefined, by: string] {
  if (option !== undefined) return [option.trim(), flag];
  const value = env[variable]?.trim();
  return [value === '' ? undefined : value, variable];
}

function isHttp(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, search, hash } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && search === '' && hash === '';
}
