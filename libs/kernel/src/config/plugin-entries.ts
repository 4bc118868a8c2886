import { z } from 'zod';

/** One plugin to load. */
export interface PluginEntry {
  /** Built-in name, npm package or absolute file path. */
  use: string;
  config: Record<string, unknown>;
}

/** One entry of `plugins:`: a built-in name, an npm package or a file path; with config when it takes some. */
const pluginEntry = z.union([
  z.string().min(1),
  z.strictObject({
    use: z.string().min(1),
    config: z.record(z.string(), z.unknown()).default({}),
    enabled: z.boolean().default(true),
  }),
]);

/** The list `plugins:`, without those that are not enabled. */
export const pluginEntries = z.array(pluginEntry).transform((entries): readonly PluginEntry[] =>
  entries
    .map((entry) => (typeof entry === 'string' ? { use: entry, config: {}, enabled: true } : entry))
    .filter(({ enabled }) => enabled)
    .map(({ use, config }) => ({ use, config })),
);
