import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsageFault } from '../../client/exit-codes.js';
import { readReports } from '../reports/reports.js';
import { readRunPlan, readScorer, type RunOptions } from './run-options.js';

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
      model: ['gpt-5.1'],
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

  it('say which datapoints it takes, and whether it takes answers over', () => {
    const filter = ['metadata.split=test', 'metadata.a.b=x=y', 'source=manual,file_upload', 'ids=a,b'];
    const options = { filter, limit: '9', sample: '5', seed: '7', cacheDays: '3' };
    expect(readRunPlan({ ...least, ...options })).toMatchObject({
      filter: {
        metadata: { split: 'test', 'a.b': 'x=y' },
        ...{ source: ['manual', 'file_upload'], ids: ['a', 'b'], limit: 9, sample: 5, seed: 7 },
      },
      ...{ cache: 'reuse', cacheDays: 3 },
    });
    const plain = readRunPlan(least);
    expect([JSON.stringify(plain.filter), plain.cache]).toEqual(['{}', undefined]);
    expect(() => readRunPlan({ ...least, filter: ['split=test'] })).toThrow('--filter: "split" is not metadata.KEY');
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

const files: Record<string, string> = { 'tone.txt': 'Is it polite, and short?', 'config.json': '{"depth": 2}' };
const read = (text: string) => readScorer(text, (path) => files[path]!);

describe('a scorer of the command line', () => {
  it('is what its members say', () => {
    expect(read('name=tone,scoring=LlmJudge,rubric=@tone.txt,weight=2')).toEqual({
      name: 'tone',
      scoring: 'LlmJudge',
      judge: { rubric: 'Is it polite, and short?' },
      weight: 2,
    });
    expect(read('scoring=Contains')).toEqual({ scoring: 'Contains' });
    expect(read(' scoring = ExactMatch , pass-score=0.5, weight=0 ')).toEqual({
      scoring: 'ExactMatch',
      pass_score: 0.5,
      weight: 0,
    });
  });

  it('has a judge of its own, and a configuration', () => {
    expect(read('scoring=LlmJudge,judge_model=gpt-5.1,judge_connection=OpenAI')).toEqual({
      scoring: 'LlmJudge',
      judge: { connection_id: 'OpenAI', model: 'gpt-5.1' },
    });
    expect(read('scoring=LlmJudge,judge-temperature=0.5').judge).toEqual({ temperature: 0.5 });
    expect(read('scoring=LlmJudge,judge_temperature=null').judge).toEqual({ temperature: null });
    expect(() => read('scoring=LlmJudge,judge_temperature=hot')).toThrow('judge_temperature must be a number');
    expect(read('scoring=mine,config=@config.json,config.words=["a"],config.strict=true,config.note=plain')).toEqual({
      scoring: 'mine',
      scoring_config: { depth: 2, words: ['a'], strict: true, note: 'plain' },
    });
  });

  it('takes commas, quotes and at signs in texts', () => {
    expect(read('rubric="say \\"hi\\", twice \\\\",scoring=LlmJudge').judge).toEqual({ rubric: 'say "hi", twice \\' });
    expect(read('scoring=LlmJudge,rubric=@@home').judge).toEqual({ rubric: '@home' });
    expect(read('scoring=LlmJudge,rubric=a=b').judge).toEqual({ rubric: 'a=b' });
  });

  it.each([
    ['name=tone', 'scoring=NAME is missing'],
    ['', 'scoring=NAME is missing'],
    ['LlmJudge', '"LlmJudge" is not NAME=VALUE'],
    ['scoring=A,scoring=B', '"scoring" comes twice'],
    ['scoring=A,wieght=2', '"wieght" is not known'],
    ['scoring=A,weight=two', 'weight must be a number, not "two"'],
    ['scoring=A,weight=', 'weight must be a number, not ""'],
    ['scoring=A,rubric="open', 'the quote that "rubric" begins with must be closed'],
    ['scoring=A,rubric="a"b', 'the quote that "rubric" begins with must be closed'],
    ['scoring=A,config=[1]', 'config must be a JSON object'],
  ])('%j is refused', (text, fault) => expect(() => read(text)).toThrow(fault));
});
