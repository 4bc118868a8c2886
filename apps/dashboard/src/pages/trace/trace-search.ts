const VIEWS = ['waterfall', 'tree', 'flame'] as const;
export type View = (typeof VIEWS)[number];

export const TABS = ['messages', 'input', 'output', 'metadata', 'raw'] as const;
export type Tab = (typeof TABS)[number];

/** Spans that a toggle button leaves. */
const ONLY = ['errors', 'llm'] as const;
export type Only = (typeof ONLY)[number];

/** What the address of a trace says (docs/spec/dashboard-trace.md#address-of-a-trace). Members left out are the defaults. */
export interface TraceSearch {
  span?: string;
  view?: View;
  tab?: Tab;
  find?: string;
  /** Names of {@link ONLY}, with commas between. */
  only?: string;
}

/** Reads an address; what is not understood is as if it were not there, so that an old link still opens. */
export function readTraceSearch(given: Readonly<Record<string, unknown>>): TraceSearch {
  const search: TraceSearch = {};
  const span = textOf(given['span']);
  const view = oneOf(VIEWS, given['view']);
  const tab = oneOf(TABS, given['tab']);
  const find = textOf(given['find']);
  const only = writeOnly(readOnly(textOf(given['only'])));
  if (span !== undefined) search.span = span;
  if (view !== undefined && view !== 'waterfall') search.view = view;
  if (tab !== undefined) search.tab = tab;
  if (find !== undefined) search.find = find;
  if (only !== undefined) search.only = only;
  return search;
}

/** The toggle buttons that are pressed. */
export const readOnly = (only: string | undefined): readonly Only[] => {
  const given = only?.split(',') ?? [];
  return ONLY.filter((name) => given.includes(name));
};

/** Pressed buttons as the address has them; `undefined` for none. */
const writeOnly = (only: readonly Only[]): string | undefined =>
  only.length === 0 ? undefined : ONLY.filter((name) => only.includes(name)).join(',');

/** Presses a button, or lets it go. */
export const toggleOnly = (only: string | undefined, name: Only): string | undefined => {
  const pressed = readOnly(only);
  return writeOnly(pressed.includes(name) ? pressed.filter((other) => other !== name) : [...pressed, name]);
};

/** Ids and searches of digits arrive as numbers where the router reads values as JSON. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const oneOf = <Name extends string>(names: readonly Name[], value: unknown): Name | undefined =>
  names.find((name) => name === value);
