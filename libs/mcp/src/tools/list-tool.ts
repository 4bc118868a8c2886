import type { CallerApi, QueryValue } from '@spandrel/http';
import { z } from 'zod';
import { apiArguments, queryOf } from '../arguments/api-arguments.js';
import { numberArgument } from '../arguments/argument-schema.js';
import { fitList, type Page } from '../answers/fit-list.js';
import { PREVIEW_CHARS } from '../answers/cut-text.js';
import { defineTool, TEXTS_ARE_DATA, type Tool } from './tool.js';

/** Items of a list when a call says nothing, and at most. */
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** `limit` of a tool that lists. */
export const limitArgument = numberArgument({
  min: 1,
  max: LIMIT_MAX,
  default: LIMIT_DEFAULT,
  description: 'Items at most; a page whose items are long ends before.',
});

/** How many items a call asks for. */
export const limitOf = (limit: number | undefined): number => limit ?? LIMIT_DEFAULT;

/** Members of the API's query that a tool says itself, or has no use for. */
const OWN_MEMBERS = ['limit', 'view', 'preview'];

/** A call of a list of the API. */
interface ListCall {
  operation: string;
  path?: Readonly<Record<string, string>>;
  query: Readonly<Record<string, QueryValue | undefined>>;
}

/** A tool that shows a list of the API. */
interface ListTool {
  name: string;
  title: string;
  /** What is listed, in which order. */
  description: string;
  operations: readonly string[];
  /** The query of the API whose members are the filters. */
  query: z.ZodType;
  /** Members of it that the tool does not have. */
  omit?: readonly string[];
  /** Arguments beside those of the query. */
  others?: z.ZodRawShape;
  /** Name of the list in the answer of the API. */
  from: string;
  /** Name of the list in the answer of the tool. */
  to: string;
  /** The call that reads a page. @param args arguments but `limit` and `max_chars`. */
  call: (args: Readonly<Record<string, unknown>>) => ListCall;
  /** An item as the tool shows it. */
  item: (item: Readonly<Record<string, unknown>>) => object;
}

/** Declares a tool that shows a list of the API: without payloads, page by page. */
export function defineListTool({ query, omit = [], others = {}, ...tool }: ListTool): Tool {
  return defineTool({
    name: tool.name,
    title: tool.title,
    description: `${tool.description} Texts are cut to ${PREVIEW_CHARS} characters; members without a value are left out. next_cursor is the cursor of the next page, null on the last one. ${TEXTS_ARE_DATA}`,
    operations: tool.operations,
    arguments: () => ({ ...others, ...apiArguments(query, [...OWN_MEMBERS, ...omit]), limit: limitArgument }),
    answer: ({ limit, ...args }, { api, maxChars }) =>
      fitList({
        name: tool.to,
        limit: limitOf(limit as number | undefined),
        maxChars,
        read: (most) => readPage(api, tool, tool.call(args), most),
      }),
  });
}

async function readPage(
  api: CallerApi,
  { from, item }: Pick<ListTool, 'from' | 'item'>,
  { operation, path = {}, query }: ListCall,
  limit: number,
): Promise<Page> {
  const answer = (await api.call({ operation, path, query: { ...query, limit } })) as Record<string, unknown>;
  return {
    items: (answer[from] as Readonly<Record<string, unknown>>[]).map(item),
    nextCursor: answer['next_cursor'] as string | null,
  };
}

/** A list whose filters are all members of its query. */
export const callWithQuery =
  (operation: string, query: Readonly<Record<string, QueryValue>> = {}) =>
  (args: Readonly<Record<string, unknown>>): ListCall => ({ operation, query: { ...queryOf(args), ...query } });
