import type { ScoreSums } from '@spandrel/contract';
import { sumText } from '@spandrel/contract/browser';
import type { Command } from 'commander';
import type { z } from 'zod';
import { clientCommand, type ClientCall, type ClientProgram } from '../client-command.js';
import type { Column } from '../output/table.js';
import { cleanJson } from '../output/text.js';
import { readParameters, addParameterFlags } from '../parameter-flags.js';
import { readAnswer } from '../server.js';

export interface ShownList<Item> {
  /** What the items are called: the command, the path of the list, and the member of its answer. */
  member: string;
  schema: z.ZodObject;
  /** The columns of its table; a terminal has times of this machine. */
  columns: (isTerminal: boolean) => readonly Column<Item>[];
  /** Columns behind these when previews of texts are asked for. */
  previews?: readonly Column<Item>[];
  /** Parameters that count for a table unless they were given. */
  forTable?: Readonly<Record<string, unknown>>;
}

type Page = Record<string, unknown> & { next_cursor: string | null };

/** Shows a page of a list, or all of it with `--all`. */
export async function listItems<Item>(
  { api, out, options }: ClientCall<{ all?: boolean }>,
  { member, schema, columns, previews = [], forTable = {} }: ShownList<Item>,
): Promise<void> {
  const query: Record<string, unknown> = { ...(!out.json && forTable), ...readParameters(schema, options) };
  const read = async (cursor?: string): Promise<Page> =>
    readAnswer(await api.raw('GET', `/api/${member}`, { query: cursor === undefined ? query : { ...query, cursor } }));
  const first = await read();
  const pages = options.all === true ? following(first, read) : [first];
  if (out.json) return options.all === true ? writeDocument(pages, member, out.raw) : out.document(first);
  const table = out.table([
    ...columns(out.isTerminal),
    ...(Number(query['preview']) > 0 ? previews : []),
    ...([query['include']].flat().includes('scores') ? [SCORES_COLUMN] : []),
  ]);
  let count = 0;
  let cursor: string | null = null;
  for await (const page of pages) {
    const items = page[member] as Item[];
    if (items.length > 0) await out.lines(table.lines(items));
    count += items.length;
    cursor = page.next_cursor;
  }
  if (count === 0) out.note(`no ${member}`);
  if (cursor !== null) {
    // A cursor is long: anyone who reads on a terminal wants to know that there is more, a program the place to go on.
    out.note(`there are more ${member}: --limit up to 1000, --all${out.isTerminal ? '' : ` or --cursor ${cursor}`}`);
  }
}

async function* following(first: Page, read: (cursor: string) => Promise<Page>): AsyncGenerator<Page> {
  let page = first;
  yield page;
  while (page.next_cursor !== null) {
    page = await read(page.next_cursor);
    yield page;
  }
}

/** One document of all pages, written as they come: memory holds a page. */
async function writeDocument(
  pages: Iterable<Page> | AsyncIterable<Page>,
  member: string,
  write: (text: string) => Promise<void>,
): Promise<void> {
  let count = 0;
  await write(`{${JSON.stringify(member)}:[`);
  for await (const page of pages) {
    const items = page[member] as unknown[];
    if (items.length === 0) continue;
    const text = items.map((item) => cleanJson(JSON.stringify(item))).join(',\n');
    await write(count === 0 ? text : `,\n${text}`);
    count += items.length;
  }
  await write(`],"count":${count},"next_cursor":null}\n`);
}

/** What has previews where `--preview` asks for them (docs/spec/outlines.md#previews). */
interface Previewed {
  input_preview?: string | null;
  output_preview?: string | null;
}

export const PREVIEW_COLUMNS: readonly Column<object>[] = [
  { title: 'INPUT', text: (item: Previewed) => item.input_preview ?? '', shrinks: true },
  { title: 'OUTPUT', text: (item: Previewed) => item.output_preview ?? '', shrinks: true },
];

const SCORES_COLUMN: Column<unknown> = {
  title: 'SCORES',
  text: (item) =>
    Object.entries((item as { scores?: ScoreSums }).scores ?? {})
      .map(([name, sum]) => `${name} ${sumText(sum)}`)
      .join(', '),
  shrinks: true,
};

/** @returns the command of the resource, with `list` below it, which has a flag for each parameter of the API. */
export function addListed<Item>(client: ClientProgram, description: string, list: ShownList<Item>): Command {
  const resource = client.program.command(list.member).description(description);
  const command = resource.command('list').description(`list ${list.member}, newest first`);
  addParameterFlags(command, list.schema);
  command.option('--all', 'every page, not one');
  clientCommand<{ all?: boolean }>(client, command, (call) => listItems(call, list));
  return resource;
}
