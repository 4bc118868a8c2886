import assert from 'node:assert/strict';
import type { Finder, Found } from '../masker.js';
import { pluginConfigSchema, type MaskerPlugin } from '../plugin.js';
import { assertLinear, repetitionsOf } from './linear-time.js';
import { describePlugin, setUpPlugin, type ConfigFixtures, type TestFunctions } from './set-up-plugin.js';

const CONFIGS_MAX = 3;

export interface MaskerContract<Config> {
  plugin: MaskerPlugin<Config>;
  /** Left out: a plugin without config. */
  configs?: ConfigFixtures;
  /** Configs of rules that the plugin's schema takes and its `finder` refuses. */
  refusedRules?: readonly object[];
  texts: readonly MaskerFixture[];
}

/** A text and the values that are found in it, in order; `config` is that of a rule. */
export interface MaskerFixture {
  text: string;
  values: readonly string[];
  config?: object;
  /** The canonical form of the first value. */
  canonical?: string;
}

/** The tests every masker plugin must pass. */
export function describeMaskerContract<Config>(contract: MaskerContract<Config>, test: TestFunctions): void {
  const { plugin, configs = { accepted: [{}], refused: [{ depth: 1 }] }, refusedRules = [], texts } = contract;
  const { describe, it } = test;
  const masker = () => setUpPlugin(plugin, configs.accepted[0]);
  const configOf = (config: object = {}): Config =>
    pluginConfigSchema(plugin).parse({ ...(configs.accepted[0] as object), ...config }) as Config;
  const finderOf = async (config?: object): Promise<Finder> => (await masker()).finder(configOf(config));

  describe(`masker plugin ${plugin.name}`, () => {
    describePlugin(plugin, 'masker', configs, test);
    it('has a label', async () => {
      assert.match((await masker()).label, /^[a-z][a-z0-9_-]{0,31}$/);
    });
    for (const config of refusedRules) {
      it(`refuses a rule with ${JSON.stringify(config)}`, async () => {
        await assert.rejects(finderOf(config));
      });
    }
    for (const { text, values, config, canonical } of texts) {
      it(`finds ${values.length === 0 ? 'nothing' : values.join(', ')} in ${JSON.stringify(text)}`, async () => {
        const finder = await finderOf(config);
        assert.deepEqual(valuesIn(text, finder), values);
        assert.deepEqual(valuesIn(text, finder), values, 'the same again');
        assert.deepEqual(valuesIn(`Said:\n${text}\n`, finder), values, 'between other lines');
        if (canonical !== undefined) assert.equal(finder.canonical!(values[0]!), canonical);
        if (values.length > 0) assert.ok(text.length >= finder.lengthMin, 'lengthMin is more than the text has');
      });
      it(`finds nothing any more where ${JSON.stringify(text)} was masked`, async () => {
        const finder = await finderOf(config);
        const { label } = await masker();
        for (const mark of [`[${label}]`, `[${label}:abcdefghijklmnopabcd]`]) {
          assert.deepEqual(valuesIn(maskedBy(text, finder, mark), finder), []);
        }
      });
    }
    it('answers for any text', async () => {
      const finder = await finderOf(texts[0]?.config);
      for (const odd of ['', ' ', '\0', '\u{1F600}', '\uD800', '@', ':', '+', '0', '-----', '.'.repeat(99)])
        valuesIn(odd, finder);
    });
    it('takes time in the length of a text, and no more, whatever stands in it again and again', async () => {
      const configOfFixtures = [...new Set(texts.map(({ config }) => JSON.stringify(config ?? {})))];
      for (const config of configOfFixtures.slice(0, CONFIGS_MAX)) {
        const own = texts.filter((text) => JSON.stringify(text.config ?? {}) === config);
        const finder = await finderOf(JSON.parse(config) as object);
        for (const piece of repetitionsOf(own)) assertLinear(finder, piece);
      }
    });
  });
}

function valuesIn(text: string, finder: Finder): string[] {
  const found: readonly Found[] = text.length < finder.lengthMin ? [] : [...finder.find(text)];
  let last = 0;
  for (const { start, end } of found) {
    assert.ok(Number.isInteger(start) && Number.isInteger(end), 'places are whole numbers');
    assert.ok(start >= last && end > start && end <= text.length, `${start} to ${end} is out of order or of the text`);
    last = start;
  }
  return found.map(({ start, end }) => text.slice(start, end));
}

function maskedBy(text: string, finder: Finder, mark: string): string {
  let masked = '';
  let at = 0;
  for (const { start, end } of text.length < finder.lengthMin ? [] : finder.find(text)) {
    if (start < at) continue;
    masked += text.slice(at, start) + mark;
    at = end;
  }
  return masked + text.slice(at);
}
