import type { QueryValue } from '@spandrel/http';
import { z } from 'zod';
import { apiArguments, queryOf } from '../arguments/api-arguments.js';
import { numberArgument } from '../arguments/argument-schema.js';
import { fitList, type Page } from '../answers/fit.js';
import { PREVIEW_CHARS } from '../answers/cut-text.js';
import { defineTool, TEXTS_ARE_DATA, type Tool } from './tool.js';

/** Items of a list when a call says nothing, and at most. */
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

export const limitArgument = numberArgument({
  min: 1,
  max: LIMIT_MAX,
  default: LIMIT_DEFAULT,
  description: 'Items at most; a page whose items are long ends before.',
});

export const limitOf = (limit: number | undefined): number => limit ?? LIMIT_DEFAULT;

/** Members of the API's query that a tool says itself, or has no use for. */
const OWN_MEMBERS = ['limit', 'view', 'preview'];

interface ListCall {
  operation: string;
  path?: Readonly<Record<string, string>>;
  query: Readonly<Record<string, QueryValue | undefined>>;
}

interface ListTool {
  name: string;
  title: string;
  description: string;
  operations: readonly string[];
  /** The query of the API whose members are the filters. */
  query: z.ZodType;
  omit?: readonly string[];
  others?: z.ZodRawShape;
  /** Name of the list in the answer of the API, and of the tool unless `to` says another one. */
  from: string;
  to?: string;
  fixed?: Readonly<Record<string, QueryValue>>;
  /** The call that reads a page; the operation with all arguments in its query when left out. @param args but `limit` and `max_chars`. */
  call?: (args: Readonly<Record<string, unknown>>) => ListCall;
  /** An item as the tool shows it; as the API does when left out. */
  item?: (item: Readonly<Record<string, unknown>>) => object;
}

/** Arguments that choose nothing among what there is to list. */
const NO_FILTERS = /^(cursor|mode|query|sort(_by|_order)?|[a-z]+_id)$/;
const FILTER = /^(trace|session|user)_id$/;
const NAMED_MAX = 10;

/** @returns what to say of a list that is empty: which filters it had, and which it had not, though they were given. */
export function hintOf(args: Readonly<Record<string, unknown>>, empty: readonly string[]): string | undefined {
  const given = Object.keys(args).filter((name) => args[name] !== undefined);
  const filters = given.filter((name) => !NO_FILTERS.test(name) || FILTER.test(name));
  const parts = [
    ...(filters.length > 0 ? [`nothing matches ${names(filters)}: leave one out to see more`] : []),
    ...(empty.length > 0 ? [`${names(empty)}: an empty text counts as left out`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

const names = (all: readonly string[]): string => {
  const shown = all.slice(0, NAMED_MAX).join(', ');
  return all.length > NAMED_MAX ? `${shown} and ${all.length - NAMED_MAX} more` : shown;
};

/** Declares a tool that shows a list of the API: without payloads, page by page. */
export function defineListTool({ query, omit = [], others = {}, from, ...tool }: ListTool): Tool {
  const { name, title, operations, to = from, fixed, item = (same) => same } = tool;
  const call = tool.call ?? ((args) => ({ operation: operations[0]!, query: queryOf(args) }));
  return defineTool({
    ...{ name, title, operations },
    description: `${tool.description} Texts are cut to ${PREVIEW_CHARS} characters; members without a value are left out. next_cursor is the cursor of the next page, null on the last one. ${TEXTS_ARE_DATA}`,
    arguments: () => ({ ...others, ...apiArguments(query, [...OWN_MEMBERS, ...omit]), limit: limitArgument }),
    answer: ({ limit, ...args }, { api, maxChars, empty }) => {
      const { query: own, ...called } = call(args);
      const hint = hintOf(args, empty);
      const read = async (most: number): Promise<Page> => {
        const answer = await api.call({ path: {}, ...called, query: { ...own, ...fixed, limit: most } });
        const { [from]: items, next_cursor: nextCursor } = answer as Record<string, unknown>;
        const shown = (items as Parameters<typeof item>[0][]).map(item);
        const others = shown.length === 0 && hint !== undefined ? { others: { hint } } : {};
        return { items: shown, nextCursor: nextCursor as string | null, ...others };
      };
      return fitList({ name: to, limit: limitOf(limit as number | undefined), maxChars, read });
    },
  });
}
