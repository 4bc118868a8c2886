/** The far end of {@link MaskingThreads}: masks texts that would take too long where everybody is answered. */
import { workerData } from 'node:worker_threads';
import type { MaskedField } from '@spandrel/contract';
import { loadPluginsInThread, type PluginEntry } from '@spandrel/kernel/launch';
import { type Masking, maskingOf, type MaskingRecipe } from '../engine/masking.js';
import type { PreparedRule } from '../engine/prepare-rules.js';

export interface LongText {
  readonly recipe: MaskingRecipe;
  readonly field: MaskedField;
  readonly text: string;
}

export interface MaskedText {
  readonly text: string;
  /** Maskers that failed, so that it was masked as a whole. */
  readonly failed: readonly string[];
  readonly found: readonly { masker: string; label: string; count: number }[];
}

/** Projects whose rules are kept ready. */
const KEPT_MAX = 50;

const { maskers } = await loadPluginsInThread((workerData as { plugins: readonly PluginEntry[] }).plugins);
const kept = new Map<string, Masking>();

/** What was met in the text that is being masked. */
let failed: string[] = [];
let found = new Map<string, MaskedText['found'][number]>();

function onReplaced({ masker, label }: PreparedRule): void {
  const name = `${masker} ${label}`;
  found.set(name, { masker, label, count: (found.get(name)?.count ?? 0) + 1 });
}

/** Time that others use counts for nothing: a limit of the clock on the wall is kept from outside. */
const tick = (): number => process.threadCpuUsage().user / 1_000;

function ready(recipe: MaskingRecipe): Masking {
  const name = JSON.stringify(recipe);
  const masking =
    kept.get(name) ?? maskingOf(recipe, maskers, { onReplaced, onFailure: (masker) => void failed.push(masker), tick });
  kept.delete(name);
  kept.set(name, masking);
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
  return masking;
}

/** A text masked as one of a field. */
export function maskText({ recipe, field, text }: LongText): MaskedText {
  failed = [];
  found = new Map();
  const masked = ready(recipe).text(text, field);
  return { text: masked, failed, found: [...found.values()] };
}
