import { MASKED_FIELDS, type MaskingRule } from '@spandrel/contract';
import type { LoadedMasker } from '@spandrel/kernel';
import { pluginConfigSchema, type MaskerPlugin } from '@spandrel/plugin-api';
import { setUpPlugin } from '@spandrel/plugin-api/testing';
import card from '../../plugins/maskers/card/index.js';
import email from '../../plugins/maskers/email/index.js';
import iban from '../../plugins/maskers/iban/index.js';
import ip from '../../plugins/maskers/ip/index.js';
import pattern from '../../plugins/maskers/pattern/index.js';
import phone from '../../plugins/maskers/phone/index.js';
import secret from '../../plugins/maskers/secret/index.js';

/** Every built-in masker, as the kernel loads it. */
export const loadMaskers = (): Promise<LoadedMasker[]> =>
  Promise.all(([email, phone, card, iban, ip, secret, pattern] as unknown as MaskerPlugin[]).map(loaded));

async function loaded(plugin: MaskerPlugin): Promise<LoadedMasker> {
  const schema = pluginConfigSchema(plugin);
  return {
    name: plugin.name,
    entry: { use: plugin.name, config: {} },
    extension: await setUpPlugin(plugin, {}),
    configure: (overrides) => ({ config: schema.parse(overrides ?? {}) }),
    configSchema: null,
  };
}

/** A rule for all fields. */
export const ruleFor = (masker: string, more: Partial<MaskingRule> = {}): MaskingRule => ({
  masker,
  fields: [...MASKED_FIELDS],
  replace: 'label',
  label: masker,
  config: {},
  ...more,
});

/** A rule for each masker that needs no config. */
export const ALL_RULES = ['email', 'phone', 'card', 'iban', 'ip', 'secret'].map((masker) => ruleFor(masker));
