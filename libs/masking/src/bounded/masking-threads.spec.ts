import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MASKED_FIELDS, type MaskingRule } from '@spandrel/contract';
import { MASKED_WHOLE } from '../engine/text-masker.js';
import type { MaskedText } from './mask-text.thread.js';
import { MaskingThreads } from './bounded-masking.js';

/** A plugin as a user writes one: it never ends for some texts, and throws for others. */
const PLUGIN = `export default {
  extensionPoint: 'masker', name: 'word', apiVersion: 1,
  setup: () => ({ label: 'word', finder: () => ({
    lengthMin: 4,
    find(text) {
      for (let turn = 0; text.includes('loop'); turn++) if (turn < 0) return [];
      if (text.includes('throw')) throw new Error('anna');
      return [...text.matchAll(/anna/g)].map(({ index }) => ({ start: index, end: index + 4 }));
    },
  }) }),
};`;

const rule = (masker: string, more: Partial<MaskingRule> = {}): MaskingRule => ({
  ...{ masker, fields: [...MASKED_FIELDS], replace: 'label', label: masker, config: {} },
  ...more,
});

describe('MaskingThreads', () => {
  let folder: string;
  let plugin: string;
  let threads: MaskingThreads;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'spandrel-maskers-'));
    plugin = join(folder, 'word.mjs');
    writeFileSync(plugin, PLUGIN);
    const plugins = ['email', 'pattern', plugin].map((use) => ({ use, config: {} }));
    threads = new MaskingThreads(plugins, 120_000);
  });
  afterAll(async () => {
    await threads.close();
    rmSync(folder, { recursive: true });
  });

  const mask = (text: string, rules: MaskingRule[], by = threads): Promise<MaskedText> =>
    by.mask('p', { recipe: { rules, hashKey: null }, field: 'input', text });

  it('mask by built-in maskers and by those of users, as they are masked on the spot', async () => {
    const text = `${'to read '.repeat(40_000)}a@b.co, anna, A7`;
    const pattern = rule('pattern', { label: 'id', config: { pattern: '[A-Z]\\d' } });
    const masked = await mask(text, [rule('email'), rule('word'), pattern]);
    expect(masked.text).toBe(`${'to read '.repeat(40_000)}[email], [word], [id]`);
    expect(masked).toMatchObject({
      failed: [],
      found: [{ label: 'email', count: 1 }, { label: 'word' }, { label: 'id' }],
    });
  });

  it('hash as the process does', async () => {
    const key = Buffer.alloc(32, 7).toString('base64url');
    const recipe = (kind: 'project' | 'begun') => ({
      rules: [rule('email', { replace: 'hash' })],
      hashKey: { kind, key },
    });
    const texts = await Promise.all(
      (['project', 'begun'] as const).map((kind) =>
        threads.mask('p', { recipe: recipe(kind), field: 'input', text: 'a@b.co' }),
      ),
    );
    expect(texts.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^\[email:[a-p]{20}\]$/),
      expect.stringMatching(/^\[email:[B-V]{20}\]$/),
    ]);
  });

  it('mask a text as a whole whose masker throws, and say which', async () => {
    expect(await mask('anna, throw', [rule('email'), rule('word')])).toEqual({
      text: MASKED_WHOLE,
      failed: ['word'],
      found: [],
    });
    expect(await mask('anna', [rule('nobody')])).toMatchObject({ text: MASKED_WHOLE, failed: ['nobody'] });
  });

  it('mask a text as a whole whose masker never ends, and go on with others', async () => {
    const hasty = new MaskingThreads([{ use: plugin, config: {} }], 200);
    const endless = mask('loop', [rule('word')], hasty);
    expect(await endless).toEqual({ text: MASKED_WHOLE, failed: ['none'], found: [] });
    await hasty.close();
    expect(await mask('anna', [rule('word')])).toMatchObject({ text: '[word]' });
    expect(await mask('anna', [rule('word')], hasty)).toMatchObject({ text: MASKED_WHOLE });
  });

  it('give each project its turn, however many texts another has', async () => {
    const rules = [rule('email')];
    const order: string[] = [];
    const one = (project: string, text: string): Promise<unknown> =>
      threads.mask(project, { recipe: { rules, hashKey: null }, field: 'input', text }).then(() => order.push(project));
    const many = Array.from({ length: 50 }, () => one('busy', 'a@b.co '.repeat(20_000)));
    await one('quiet', 'a@b.co');
    expect(order.length).toBeLessThan(10);
    await Promise.all(many);
  });

  it('end a pattern that looks at the whole rest of a text for each match', async () => {
    const pattern = rule('pattern', { config: { pattern: 'a(?:[^b]*b)?' } });
    expect(await mask('a'.repeat(400_000), [pattern])).toMatchObject({ text: MASKED_WHOLE, failed: ['pattern'] });
  });
});
