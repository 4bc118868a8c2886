import type { Api } from '../api/client.js';
import type { DatapointKind, Dataset } from '../api/schema.js';
import { mayPass } from '../api/answers.js';
import { SpandrelError } from '../api/spandrel-error.js';
import type { DatasetSource } from './definition.js';
import { DefinitionError } from './gate.js';
import { textOf, canonicalJson, isObject } from './json.js';

type Items = DatasetSource['items'];

type Row = Partial<Record<'input' | 'messages' | 'expected' | 'metadata', unknown>>;

const TRIES = 3;
/** Rows of one request, and characters of them: an import takes 100 MiB unless it is set otherwise. */
const REQUEST_CHARACTERS = 16_000_000;

/** Adds items that a dataset has not: input, expected and metadata count. @throws DefinitionError for what is no JSON. */
export async function addItems(api: Api, datasetId: string, items: Items, signal?: AbortSignal): Promise<void> {
  const wanted = new Map<string, string>();
  for (const [place, item] of items.entries()) {
    const row = toRow(item, place);
    wanted.set(createKey(row), JSON.stringify(row));
  }
  for (let failures = 1; ; failures++) {
    await leaveOutKnown(api, datasetId, wanted, signal);
    try {
      for (const rows of splitRequests([...wanted.values()])) {
        const headers = { 'content-type': 'application/x-ndjson' };
        await api.importDatapoints({ path: { id: datasetId }, body: rows.join('\n'), headers, signal });
      }
      return;
    } catch (error) {
      // Whether it was done nobody knows; what the dataset has now says.
      if (!(error instanceof SpandrelError && mayPass(error)) || failures === TRIES) throw error;
    }
  }
}

async function leaveOutKnown(
  api: Api,
  datasetId: string,
  wanted: Map<string, unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (wanted.size === 0) return;
  const call = { path: { id: datasetId }, query: { limit: 1_000 }, signal };
  for await (const { kind } of api.pages('listDatapoints', call)) {
    wanted.delete(createKey(toRowOfKind(kind)));
    if (wanted.size === 0) return;
  }
}

function toRow(item: Items[number], place: number): Row {
  const path = `dataset.items[${place}]`;
  let row: Row;
  try {
    row = JSON.parse(JSON.stringify(item)) as Row;
  } catch (error) {
    throw new DefinitionError(`${path} is no JSON: ${(error as Error).message}`);
  }
  if (row.input === undefined && row.messages === undefined)
    throw new DefinitionError(`${path} has an input that is no JSON`);
  return row;
}

function toRowOfKind(kind: DatapointKind): Row {
  if ('Generic' in kind) {
    const { input, expected_output: expected, metadata } = kind.Generic;
    return { input, expected, metadata };
  }
  const { messages, expected, metadata } = kind.LlmConversation;
  return { messages, expected, metadata };
}

/** A text that two items share when they would be the same datapoint. */
function createKey({ input, messages, expected, metadata }: Row): string {
  const about = isObject(metadata) && Object.keys(metadata).length === 0 ? null : (metadata ?? null);
  if (messages === undefined) return canonicalJson({ input: input ?? null, expected: expected ?? null, about });
  // The expected value of a conversation is kept as text.
  const text = expected === undefined || expected === null ? null : textOf(expected);
  return canonicalJson({ messages, expected: text, about });
}

function* splitRequests(rows: readonly string[]): Generator<string[], void, undefined> {
  let request: string[] = [];
  let characters = 0;
  for (const row of rows) {
    if (request.length > 0 && characters + row.length > REQUEST_CHARACTERS) {
      yield request;
      request = [];
      characters = 0;
    }
    request.push(row);
    characters += row.length + 1;
  }
  if (request.length > 0) yield request;
}

/** Ids that the API takes for one (docs/spec/general.md). */
const ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The dataset that a definition names, made and filled where items are given. @throws DefinitionError for none or several. */
export async function findDataset(api: Api, source: string | DatasetSource, signal?: AbortSignal): Promise<Dataset> {
  if (typeof source === 'string') {
    const found = (await findDatasetById(api, source, signal)) ?? (await findDatasetByName(api, source, signal));
    if (found) return found;
    throw new DefinitionError(`there is no dataset "${source}"; give { name, items } to make one`);
  }
  const { name, description, items } = source;
  const body = { name, ...(description !== undefined && { description }) };
  const found = await findDatasetByName(api, name, signal);
  const { id } = found ?? (await api.createDataset({ body, signal }));
  try {
    await addItems(api, id, items, signal);
  } catch (error) {
    const isRefused = error instanceof DefinitionError || (error instanceof SpandrelError && !mayPass(error));
    if (!found && isRefused) await deleteEmpty(api, id, signal).catch(() => undefined);
    throw error;
  }
  return api.getDataset({ path: { id }, signal });
}

/** Items that are refused leave no empty dataset behind. */
async function deleteEmpty(api: Api, id: string, signal?: AbortSignal): Promise<void> {
  const call = { path: { id }, signal };
  if ((await api.getDataset(call)).datapoint_count === 0) await api.deleteDataset(call);
}

async function findDatasetById(api: Api, id: string, signal?: AbortSignal): Promise<Dataset | undefined> {
  if (!ID.test(id)) return undefined;
  try {
    return await api.getDataset({ path: { id }, signal });
  } catch (error) {
    if (error instanceof SpandrelError && error.status === 404) return undefined;
    throw error;
  }
}

async function findDatasetByName(api: Api, name: string, signal?: AbortSignal): Promise<Dataset | undefined> {
  let found: Dataset | undefined;
  for await (const dataset of api.pages('listDatasets', { query: { limit: 1_000 }, signal })) {
    if (dataset.name !== name) continue;
    if (found)
      throw new DefinitionError(`several datasets are named "${name}"; give the id of one, such as ${found.id}`);
    found = dataset;
  }
  return found;
}
