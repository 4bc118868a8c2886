import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsageFault } from '../../client/exit-codes.js';
import { readReports } from './report-option.js';
import { readRunPlan, type RunOptions } from './run-options.js';

const least: RunOptions = { dataset: 'capitals', connection: 'OpenAI', scoring: 'Contains' };
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-options-'));
  writeFileSync(join(folder, 'prompt.txt'), 'Answer in\none word.\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the options of a run', () => {
  it('become its plan', () => {
    const plan = readRunPlan({
      ...least,
      model: 'gpt-5.1',
      systemPromptFile: join(folder, 'prompt.txt'),
      temperature: '0',
      repeats: '3',
      passScore: '0.5',
      maxCost: '1.5',
      metadata: ['commit=3f2c1ab', 'note=a=b', 'empty='],
    });
    expect(plan).toMatchObject({
      dataset: 'capitals',
      scoring: 'Contains',
      scorers: undefined,
      config: { model: 'gpt-5.1', system_prompt: 'Answer in\none word.', temperature: 0 },
      ...{ repeats: 3, passScore: 0.5, maxCostUsd: 1.5 },
      metadata: { commit: '3f2c1ab', note: 'a=b', empty: '' },
    });
  });

  it.each<[string, Partial<RunOptions>, string]>([
    ['no scorer', { scoring: undefined! }, 'give either --scoring, or --scorer'],
    ['both kinds of scorers', { scorer: ['scoring=None'] }, 'give either --scoring, or --scorer'],
    ['two prompts', { systemPrompt: 'a', systemPromptFile: 'b' }, 'give either --system-prompt or'],
    ['a file that is not there', { systemPromptFile: '/nowhere' }, 'the file /nowhere cannot be read (ENOENT)'],
    ['a number that is none', { repeats: 'many' }, '--repeats: must be a number, not "many"'],
    ['metadata without a value', { metadata: ['commit'] }, '--metadata: "commit" is not KEY=VALUE'],
    ['metadata twice', { metadata: ['a=1', 'a=2'] }, '--metadata: "a" comes twice'],
  ])('are refused with %s', (_what, options, fault) => {
    expect(() => readRunPlan({ ...least, ...options })).toThrow(fault);
    expect(() => readRunPlan({ ...least, ...options })).toThrow(UsageFault);
  });
});

describe('reports', () => {
  it('are formats and files', () => {
    expect(readReports({ output: ['junit=out/a=b.xml', 'markdown=page.markdown'] })).toEqual([
      { format: 'junit', file: 'out/a=b.xml' },
      { format: 'markdown', file: 'page.markdown' },
    ]);
    expect(readReports({})).toEqual([]);
  });

  it.each(['junit', 'junit=', 'html=page.html', '=a'])('%j is refused', (text) =>
    expect(() => readReports({ output: [text] })).toThrow(/^--output: ".*" is not FORMAT=FILE; formats are junit/),
  );
});
