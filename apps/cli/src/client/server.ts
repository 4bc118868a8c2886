import { setTimeout as sleep } from 'node:timers/promises';
import type { DatasetResource, EvalRunSummary } from '@spandrel/contract';
import { formatCounted, formatScore, parseWithSources, readExactJson, shownScore } from '@spandrel/contract/browser';
import { nearestName } from '@spandrel/kernel/launch';
import { createApi, SpandrelError, type Api, type ItemOf } from '@spandrel/sdk';
import { apiBase } from '@spandrel/sdk/api';
import type { CommandIo } from './command-io.js';
import { UsageFault, CommandFailure, ExitCode } from './exit-codes.js';

export interface ClientOptions {
  url?: string;
  key?: string;
  json?: boolean;
}

const USUAL_URL = 'http://127.0.0.1:3000';

/** What there is of a header: a key with anything else is a slip of the pen. */
const KEY = /^[\x21-\x7e]+$/;

export interface Server {
  url: string;
  key: string | undefined;
}

/** @returns what flags say, else the variables `SPANDREL_API_URL` and `SPANDREL_API_KEY`. @throws UsageFault */
export function readServer(options: ClientOptions, env: CommandIo['env']): Server {
  // An empty variable is one that is not set; a secret of CI often ends with a line break.
  const url = options.url?.trim() ?? (env['SPANDREL_API_URL']?.trim() || undefined);
  const key = options.key?.trim() ?? (env['SPANDREL_API_KEY']?.trim() || undefined);
  if (url !== undefined && !isHttp(url)) {
    const by = options.url === undefined ? 'SPANDREL_API_URL' : '--url';
    throw new UsageFault(`${by}: must be the address of a server such as ${USUAL_URL}`);
  }
  if (key !== undefined && !KEY.test(key)) {
    const by = options.key === undefined ? 'SPANDREL_API_KEY' : '--key';
    throw new UsageFault(`${by}: is no key: it has blanks or characters that a key never has`);
  }
  return { url: apiBase(url ?? USUAL_URL), key };
}

/** @param signal ends its calls; `null` for what has to be done after an interrupt. @throws UsageFault */
export function createClient(options: ClientOptions, io: CommandIo, signal: AbortSignal | null = io.signal): Api {
  return createApi({
    ...readServer(options, io.env),
    // Numbers are shown as they were recorded.
    parseJson: readAsWritten,
    fetch: (input, init) => fetch(input, { ...init, signal: joinSignals(init?.signal, signal) }),
    // A pause between two tries ends with the command, too.
    wait: async (ms, own) => {
      await sleep(ms, undefined, { signal: joinSignals(own, signal) });
    },
  });
}

const joinSignals = (...signals: (AbortSignal | null | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal !== null && signal !== undefined));

function isHttp(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, search, hash } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && search === '' && hash === '';
}

const readAsWritten = (text: string): unknown => readExactJson(text, parseWithSources);

/** @returns the JSON, numbers as they are written. @throws CommandFailure when a proxy or another program answered. */
export async function readAnswer<Answer>(response: Response): Promise<Answer> {
  const text = await response.text();
  try {
    if (response.status < 300) return readAsWritten(text) as Answer;
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

const NAMED_MAX = 20;

/** @param others gets the names that were looked at. @param many names such items. @param about what is shown of one. @throws CommandFailure when several have the name. */
async function findNamed<Item extends { id: string; name: string }>(
  items: AsyncIterable<Item>,
  nameOrId: string,
  many: string,
  about: (item: Item) => string,
  others: Set<string> = new Set(),
): Promise<Item | undefined> {
  const named: Item[] = [];
  for await (const item of items) {
    if (item.id === nameOrId) return item;
    others.add(item.name);
    if (item.name === nameOrId) named.push(item);
  }
  if (named.length > 1) {
    const lines = named.slice(0, NAMED_MAX).map((item) => `\n  ${item.id}  ${about(item)}`);
    if (named.length > NAMED_MAX) lines.push('\n  …');
    throw new CommandFailure(`${named.length} ${many} are called "${nameOrId}"; give the id of one:${lines.join('')}`);
  }
  return named[0];
}

/** @returns the dataset that has this id, or else this name; `undefined` when none has. @throws CommandFailure when several have the name. */
export const lookForDataset = (api: Api, nameOrId: string, names?: Set<string>): Promise<DatasetResource | undefined> =>
  findNamed(
    api.pages('listDatasets'),
    nameOrId,
    'datasets',
    ({ datapoint_count: count }) => formatCounted(count, 'datapoint'),
    names,
  );

/** @returns the dataset that has this id, or else this name. @throws SpandrelError `dataset_not_found` when none has. */
export async function findDataset(api: Api, nameOrId: string): Promise<DatasetResource> {
  const names = new Set<string>();
  const found = await lookForDataset(api, nameOrId, names);
  if (found) return found;
  const detail = `no dataset has the name or the id "${nameOrId}"${describeNear(nameOrId, names)}`;
  throw new SpandrelError({ status: 404, code: 'dataset_not_found', detail });
}

const LISTED_MAX = 10;

/** What may be meant by a name that nothing has: `; is "openai" meant?`, or the names that there are where they are few. */
function describeNear(name: string, names: ReadonlySet<string>): string {
  const near = nearestName(name, names);
  if (near !== undefined) return `; is "${near}" meant?`;
  if (names.size === 0) return '; there is none';
  return names.size > LISTED_MAX ? '' : `; there are ${Array.from(names, (one) => `"${one}"`).join(', ')}`;
}

/** @throws SpandrelError `connection_not_found` when there is none; CommandFailure when several have the name. */
export async function findConnection(api: Api, nameOrId: string): Promise<ItemOf<'listConnections'>> {
  const all = api.pages('listConnections', { query: { limit: 200 } });
  const names = new Set<string>();
  const found = await findNamed(all, nameOrId, 'provider connections', ({ provider }) => provider, names);
  if (found) return found;
  const detail = `no provider connection has the name or the id "${nameOrId}"${describeNear(nameOrId, names)}`;
  throw new SpandrelError({ status: 404, code: 'connection_not_found', detail });
}

/**
 * @param datasetId runs of other datasets are not looked for by their name.
 * @returns the run that has this id, or else this name.
 * @throws SpandrelError `eval_run_not_found` when none has; CommandFailure when several have the name.
 */
export async function findRun(api: Api, nameOrId: string, datasetId?: string): Promise<EvalRunSummary> {
  try {
    return await api.getEval({ path: { id: nameOrId }, query: { items: 'none' } });
  } catch (error) {
    if (!(error instanceof SpandrelError) || error.code !== 'eval_run_not_found') throw error;
    const query = { name: nameOrId, limit: 200, ...(datasetId !== undefined && { dataset_id: datasetId }) };
    const named = api.pages('listEvalRuns', { query }) as AsyncIterable<EvalRunSummary>;
    const about = (run: EvalRunSummary): string =>
      `${run.created_at}  ${run.status}  score ${formatScore(shownScore(run).mean)}`;
    const found = await findNamed(named, nameOrId, 'eval runs', about);
    if (found) return found;
    throw error;
  }
}
