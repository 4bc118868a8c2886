import { readTexts } from '../../features/filters/list-search.js';

const VIEWS = ['waterfall', 'tree', 'flame', 'graph'] as const;
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
  const { only: pressed, ...texts } = readTexts(given, ['span', 'find', 'only']);
  const view = VIEWS.find((name) => name !== 'waterfall' && name === given['view']);
  const tab = TABS.find((name) => name === given['tab']);
  const only = writeOnly(readOnly(pressed));
  return { ...texts, ...(view && { view }), ...(tab && { tab }), ...(only && { only }) };
}

/** The toggle buttons that are pressed. */
export const readOnly = (only: string | undefined): readonly Only[] => {
  const given = only?.split(',') ?? [];
  return ONLY.filter((name) => given.includes(name));
};

/** Pressed buttons as the address has them; `undefined` for none. */
const writeOnly = (only: readonly Only[]): string | undefined => only.join(',') || undefined;

/** Presses a button, or lets it go. */
export const toggleOnly = (only: string | undefined, name: Only): string | undefined => {
  const pressed = readOnly(only);
  return writeOnly(ONLY.filter((one) => pressed.includes(one) !== (one === name)));
};
