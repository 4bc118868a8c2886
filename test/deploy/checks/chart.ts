import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A Helm chart as it stands on disk. */
export interface Chart {
  chart: Record<string, unknown>;
  values: Record<string, unknown>;
  schema: object;
  /** Text by file name. */
  templates: Record<string, string>;
}

/** @throws when a file is missing, or no yaml or JSON, or has a key twice. */
export function readChart(folder: string): Chart {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const yaml = (name: string) => parse(read(name), { uniqueKeys: true }) as Record<string, unknown>;
  return {
    chart: yaml('Chart.yaml'),
    values: yaml('values.yaml'),
    schema: JSON.parse(read('values.schema.json')) as object,
    templates: Object.fromEntries(
      readdirSync(join(folder, 'templates')).map((name) => [name, read(join('templates', name))]),
    ),
  };
}
