import { setTimeout as sleep } from 'node:timers/promises';
import type { DatasetResource } from '@spandrel/contract';
import { formatCounted, readExactJson } from '@spandrel/contract/browser';
import { createApi, SpandrelError, type Api, type ItemOf } from '@spandrel/sdk';
import type { CommandIo } from './command-io.js';
import { UsageFault, CommandFailure, ExitCode } from './exit-codes.js';

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
export function readServer(options: ClientOptions, env: CommandIo['env']): Server {
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
export function createClient(options: ClientOptions, io: CommandIo, signal: AbortSignal | null = io.signal): Api {
  return createApi({
    ...readServer(options, io.env),
    // Every digit of a number is shown as it was recorded.
    parseJson: readExactJson,
    fetch: (input, init) => fetch(input, { ...init, signal: joinSignals(init?.signal ?? null, signal) }),
    // A pause between two tries ends with the command, too.
    wait: async (ms, own) => {
      await sleep(ms, undefined, { signal: joinSignals(own ?? null, signal) ?? undefined });
    },
  });
}

function joinSignals(one: AbortSignal | null, other: AbortSignal | null): AbortSignal | null {
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

/**
 * @returns the JSON of an answer with every digit of its numbers: what was recorded is shown as it was.
 * @throws CommandFailure, as if no server had been reached, when it is none: a proxy or another program answered.
 */
export async function readAnswer<Answer>(response: Response): Promise<Answer> {
  const text = await response.text();
  try {
    if (response.status < 300) return readExactJson(text) as Answer;
  } catch {
    // Reported below.
  }
  throw notOfSpandrel(response);
}

/** @returns the failure of an answer that no Spandrel gives. */
export function notOfSpandrel({ status, headers }: Response): CommandFailure {
  const location = headers.get('location');
  const said =
    location === null ? `HTTP ${status}, ${headers.get('content-type') ?? 'no type'}` : `a redirect to ${location}`;
  return new CommandFailure(
    `what answers is not Spandrel: ${said}; --url or SPANDREL_API_URL says where it is`,
    ExitCode.unreachable,
  );
}

/** What people call a kind of things, and how they distinguish those of one name. */
interface Kind<Item> {
  /** `datasets` */
  many: string;
  /** What is shown of one beside its id. */
  about: (item: Item) => string;
}

/**
 * Finds the item of a list that has this id, or else this name.
 * @returns `undefined` when none has. @throws CommandFailure when several have the name.
 */
async function findNamed<Item extends { id: string; name: string }>(
  items: AsyncIterable<Item>,
  nameOrId: string,
  { many, about }: Kind<Item>,
): Promise<Item | undefined> {
  const named: Item[] = [];
  for await (const item of items) {
    if (item.id === nameOrId) return item;
    if (item.name === nameOrId) named.push(item);
  }
  if (named.length > 1) {
    const lines = named.map((item) => `  ${item.id}  ${about(item)}`);
    throw new CommandFailure(
      [`${named.length} ${many} are called "${nameOrId}"; give the id of one:`, ...lines].join('\n'),
    );
  }
  return named[0];
}

/** @returns the dataset that has this id, or else this name; `undefined` when none has. @throws CommandFailure when several have the name. */
export const lookForDataset = (api: Api, nameOrId: string): Promise<DatasetResource | undefined> =>
  findNamed<DatasetResource>(api.pages('listDatasets'), nameOrId, {
    many: 'datasets',
    about: ({ datapoint_count: count }) => formatCounted(count, 'datapoint'),
  });

/** @returns the dataset that has this id, or else this name. @throws SpandrelError `dataset_not_found` when none has. */
export async function findDataset(api: Api, nameOrId: string): Promise<DatasetResource> {
  const found = await lookForDataset(api, nameOrId);
  if (found) return found;
  const detail = `no dataset has the name or the id "${nameOrId}"`;
  throw new SpandrelError({ status: 404, code: 'dataset_not_found', detail });
}

const PAGE = 200;

type Connection = ItemOf<'listConnections'>;

/**
 * Finds a provider connection by its id, or else its name.
 * @throws SpandrelError `connection_not_found` when there is none; CommandFailure when several have the name.
 */
export async function findConnection(api: Api, nameOrId: string): Promise<Connection> {
  const found = await findNamed<Connection>(api.pages('listConnections', { query: { limit: PAGE } }), nameOrId, {
    many: 'provider connections',
    about: ({ provider }) => provider,
  });
  if (found) return found;
  const detail = `no provider connection has the name or the id "${nameOrId}"`;
  throw new SpandrelError({ status: 404, code: 'connection_not_found', detail });
}
