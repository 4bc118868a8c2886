import type { Dialect, Masker, Provider, ReadStore, Scorer, SearchIndex } from '@spandrel/plugin-api';
import type { FieldError } from '@spandrel/contract';
import { z } from 'zod';
import type { PluginEntry } from '../config/core-settings.js';
import { schemaFaults } from '../faults/invalid-request.js';

export interface Named<Extension> {
  readonly name: string;
  readonly extension: Extension;
}

/** A plugin with what it was loaded by, so that a thread can load it too. */
type Loaded<Extension> = Named<Extension> & { readonly entry: PluginEntry };

/** What users configure once more where they use it: a scorer for a run, a masker in a rule. */
export interface Configurable {
  /** The plugin's config with `overrides` over it, checked. @returns `faults` by paths of `overrides`; never throws. */
  configure(overrides: Readonly<Record<string, unknown>> | null | undefined): LaidConfig;
  /** JSON Schema of its config; `null` when it takes none, or its schema cannot be described as one. */
  readonly configSchema: Record<string, unknown> | null;
}

/** A loaded scorer, which every run may configure for itself (`scoring_config`). */
export type LoadedScorer = Loaded<Scorer> & Configurable;

/** A loaded masker, which every rule of a project may configure for itself. */
export type LoadedMasker = Loaded<Masker> & Configurable;

/** The plugins of this process, by extension point, in the order of config. */
export interface PluginRegistry {
  readonly providers: readonly Named<Provider>[];
  readonly scorers: readonly LoadedScorer[];
  readonly searchIndexes: readonly Named<SearchIndex>[];
  readonly readStores: readonly Named<ReadStore>[];
  readonly dialects: readonly Loaded<Dialect>[];
  readonly maskers: readonly LoadedMasker[];
}

export const PLUGINS = Symbol('plugins');

type LaidConfig = { config: unknown } | { faults: FieldError[] };

/**
 * Lays what a use of a plugin gives over its config, and checks the result; never throws, whatever the plugin does.
 * @param findFaults of the plugin itself. @returns faults with paths from the root of `overrides`.
 */
export function layConfig(
  schema: z.ZodType,
  defaults: Readonly<Record<string, unknown>>,
  overrides: Readonly<Record<string, unknown>> | null | undefined,
  findFaults: (config: unknown) => readonly FieldError[] = () => [],
): LaidConfig {
  try {
    const checked = schema.safeParse({ ...defaults, ...overrides });
    if (!checked.success) return { faults: schemaFaults(checked.error, schema) };
    const faults = findFaults(checked.data);
    return faults.length === 0 ? { config: checked.data } : { faults: [...faults] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { faults: [{ path: '', message: `cannot be checked: ${reason}` }] };
  }
}

/** The JSON Schema of a plugin's config; `null` for one that cannot be described, such as one of another zod. */
export function configJsonSchema(schema: z.ZodType): Record<string, unknown> | null {
  try {
    const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>;
    const { $schema: _dialect, '~standard': _standard, ...described } = made;
    return described;
  } catch {
    return null;
  }
}
