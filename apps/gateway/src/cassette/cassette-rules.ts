import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MASKED_FIELDS, putMaskingSchema, type MaskingRule, type PutMasking } from '@spandrel/contract';
import { StartError, type LoadedMasker } from '@spandrel/kernel/launch';
import { maskingOf } from '@spandrel/masking/engine';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Mask } from './entry.js';

const rulesSchema = z.strictObject({
  ignore: z.array(z.string().min(1)).default([]),
  masking: putMaskingSchema.shape.rules.default([]),
});

/** What `cassette.yaml` beside cassettes says of them. */
export interface CassetteRules {
  /** Paths of requests that are not compared. */
  ignore: string[];
  /** Rules beyond that of keys and tokens, which holds always. */
  masking: PutMasking['rules'];
}

/**
 * Reads the `cassette.yaml` beside a cassette's file.
 * @throws StartError when it cannot be read.
 */
export function readCassetteRules(cassette: string): CassetteRules {
  const file = join(dirname(cassette), 'cassette.yaml');
  try {
    const read = rulesSchema.safeParse(parse(readFileSync(file, 'utf8')) ?? {});
    if (read.success) return read.data;
    throw new StartError([
      `${file}: ${read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`,
    ]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { ignore: [], masking: [] };
    throw error;
  }
}

/** What keys and tokens are found by; each cassette is masked by it. */
const SECRET = { masker: 'secret', replace: 'label' } as const;

/**
 * What masks the values of a cassette.
 * @param maskers those of this process.
 * @throws Error for a rule whose masker is not there, or does not take its config.
 */
export function maskOf({ masking }: CassetteRules, maskers: readonly LoadedMasker[]): Mask {
  const rules = [SECRET, ...masking].flatMap((rule): MaskingRule[] => {
    const loaded = maskers.find(({ name }) => name === rule.masker);
    if (!loaded) throw new StartError([`cassette.yaml: there is no masker ${rule.masker}`]);
    const { label, config } = { label: null, config: null, ...rule };
    return [
      {
        masker: rule.masker,
        fields: [...MASKED_FIELDS],
        replace: 'label',
        label: label ?? loaded.extension.label,
        config: config ?? {},
      },
    ];
  });
  const engine = maskingOf({ rules, hashKey: null }, maskers, { onFailure: () => undefined });
  return (value) => engine.json(value, 'input');
}
