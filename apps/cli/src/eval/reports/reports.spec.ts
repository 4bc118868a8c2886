import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { validateXML } from 'xmllint-wasm';
import type { EvalItem } from '@spandrel/contract';
import { sampleItem, sampleReport, sampleRun, sampleScorer } from '../../../../../test/cli/sample-report.js';
import { anyCharacter } from '../../../../../test/support/any-character.js';
import { ExitCode } from '../../client/exit-codes.js';
import type { EvalReport } from './report-items.js';
import type { Api } from '@spandrel/sdk';
import { errorLines, tellGitHub, prepareReports, writeReports } from './reports.js';
import { junitReport } from './junit.js';
import { markdownReport, inlineCode } from './markdown.js';
import { createPreview, judgeItem } from './report-items.js';

const schema = readFileSync(resolve('test/cli/fixtures/junit.xsd'), 'utf8');
const fixture = (name: string): string => readFileSync(resolve('apps/cli/src/eval/reports/fixtures', name), 'utf8');

const listFaults = async (documents: string[]): Promise<string[]> => {
  const xml = documents.map((contents, index) => ({ fileName: `report-${index}.xml`, contents }));
  const { errors } = await validateXML({ xml, schema, maxMemoryPages: 4096 });
  return errors.map(({ rawMessage }) => rawMessage);
};

/** A run that was cut off by its cap after one datapoint. */
const stopped = (): EvalReport =>
  sampleReport({
    run: sampleRun({ status: 'cancelled', stop_reason: 'cost_cap', sample_progress: 2, failed_samples: 0 }),
    verdict: 'stopped',
    gates: [{ text: 'mean >= 0.9', found: '–', passed: null, isRegression: false }],
    items: [sampleItem('P1', { samples: [1, 1] }), sampleItem('P2', { status: 'pending', samples: [null, null] })],
  });

describe('the input of a datapoint', () => {
  it('is the last question of a conversation with tools and pictures, as the dashboard lists it', () => {
    const asked = { role: 'user', content: 'Which rate?' };
    const tools = [
      { role: 'assistant', content: '', tool_calls: [] },
      { role: 'tool', content: '{"rate":3}' },
    ];
    const picture = [
      { type: 'text', text: 'See the picture.' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    ];
    expect(createPreview([asked, ...tools], 60)).toBe('Which rate?');
    expect(createPreview([asked, { role: 'user', content: picture }], 60)).toBe('See the picture.');
    expect(createPreview([3], 60)).toBe('[3]');
  });
});

describe('what a datapoint comes to', () => {
  const scored = (...scores: number[]): EvalItem['scores'] =>
    Object.fromEntries(
      scores.map((score, at) => [
        at === 0 ? 'Contains' : 'tone',
        {
          score,
          reason: null,
          error: null,
          judge_model: null,
          judge_prompt_hash: null,
          judge_tokens: null,
          judge_cost: null,
        },
      ]),
    );
  const tone = sampleScorer('tone', { pass_score: 0.5 });
  const run = sampleRun();
  const both = sampleRun({ scorers: [sampleScorer('Contains'), tone] });
  const mean = sampleRun({ ...both, pass_mode: 'mean', pass_score: 0.8 });
  const shown = sampleRun({ scorers: [{ ...tone, weight: 0 }] });
  const failing = { samples: [0.6], passed: false };
  it.each([
    ['one that passes', sampleItem('a', { samples: [1] }), run, 'passed', ''],
    ['one that passes with little', sampleItem('a', { samples: [0.3], passed: true }), run, 'passed', ''],
    [
      'one below the pass score',
      sampleItem('a', { ...failing, scores: scored(0.6) }),
      run,
      'failed',
      'score 0.6 is below 1',
    ],
    [
      'one below a pass score of several',
      sampleItem('a', { ...failing, scores: scored(1, 0.2) }),
      both,
      'failed',
      'tone 0.2 is below 0.5',
    ],
    [
      'one below them all',
      sampleItem('a', { ...failing, scores: scored(0, 0.2) }),
      both,
      'failed',
      'Contains 0 is below 1, tone 0.2 is below 0.5',
    ],
    [
      'one whose mean is below that of the run',
      sampleItem('a', { ...failing, scores: scored(1, 0.2) }),
      mean,
      'failed',
      'score 0.6 is below 0.8',
    ],
    [
      'one whose scorer does not count',
      sampleItem('a', { samples: [null], passed: false, scores: { tone: scored(0.2)['Contains']! } }),
      shown,
      'failed',
      'score 0.2 is below 0.5',
    ],
    [
      'a flaky one',
      sampleItem('a', { score: 0.5, samples: [1, 0] }),
      run,
      'failed',
      '1 of 2 samples passed, mean score 0.5',
    ],
    ['one of which a sample failed', sampleItem('a', { samples: [null, 1] }), run, 'passed', ''],
    ['one that failed', sampleItem('a', { status: 'failed', error: 'HTTP 500' }), run, 'error', 'HTTP 500'],
    ['one without a score', sampleItem('a', { samples: [null] }), run, 'skipped', 'has no score'],
    [
      'one that was not reached',
      sampleItem('a', { status: 'pending' }),
      run,
      'skipped',
      'not finished before the run ended',
    ],
  ])('%s', (_what, item, of, outcome, why) => expect(judgeItem(item, of)).toEqual({ outcome, why }));
});

describe('a JUnit report', () => {
  it('has a case a datapoint, a suite of gates, and statistics as properties', () => {
    expect(junitReport([sampleReport()])).toBe(fixture('junit.xml'));
  });

  it('shows a run that was stopped', () => {
    const xml = junitReport([stopped()]);
    expect(xml).toContain('<skipped message="not finished before the run ended"/>');
    expect(xml).toContain('name="the run is completed"');
    expect(xml).toContain(
      '<error message="The run was stopped: it reached its cost cap; 2 of 6 samples are processed." type="error"/>',
    );
    expect(xml).toContain('<skipped message="not judged"/>');
  });

  it('is what its schema says, whatever was recorded', async () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 30 });
    const texts = fc.sample(fc.tuple(text, text, text, text), 30);
    const random = texts.map(([input, output, error, name]) =>
      junitReport([
        sampleReport({
          dataset: { id: 'D', name },
          run: sampleRun({ name: `run ${name}`, metadata: { [`key ${name}`]: output } }),
          gates: [{ text: `gate ${name}`, found: output, passed: false, isRegression: false }],
          items: [
            sampleItem('a', { input, output, samples: [0] }),
            sampleItem('b', { input: { [output]: input }, error, status: 'failed' }),
          ],
        }),
      ]),
    );
    const fault = { file: 'evals/a.eval.ts', fault: 'dataset_not_found (404): \u0007', exitCode: ExitCode.refused };
    const documents = [junitReport([sampleReport(), stopped()], [fault]), junitReport([], [fault]), ...random];
    expect(documents[1]).toContain('<error message="dataset_not_found (404): " type="error"/>');
    expect(markdownReport([], [fault])).toBe(
      '## ❌ `evals/a.eval.ts`: could not be run\n\n`dataset_not_found (404):`\n',
    );
    expect(await listFaults(documents)).toEqual([]);
    // It would find a fault.
    expect(await listFaults([documents[0]!.replace(' classname="eval.capitals_eu"', '')])).toHaveLength(1);
  });
});

describe('a markdown report', () => {
  it('is a page for people', () => {
    const worse = sampleReport({ file: 'evals/b.eval.ts', verdict: 'regression', gates: [], items: [] });
    expect(markdownReport([sampleReport(), stopped(), worse])).toBe(fixture('report.markdown'));
  });

  it('has recorded texts in code that they cannot leave', () => {
    expect(['', '`', 'a``b', 'a|b', 'a\\|b', ' two\n lines\r\n'].map(inlineCode)).toEqual([
      ...['', '`` ` ``', '```a``b```', '`a\\|b`', '`a\\ \\|b`', '`two lines`'],
    ]);
  });

  it('has no green mark where nobody asked for anything', () => {
    const page = markdownReport([sampleReport({ verdict: 'done', gates: [] })]);
    expect(page).toMatch(/^## capitals, gpt-5.1: done, no gates\n/);
  });

  it('names the numbers of each scorer, and all together beside them where they differ', () => {
    const { score } = sampleReport().statistics;
    const statistics = { ...sampleReport().statistics, comparison: null, scorers: { a: { ...score, mean: 0.5 } } };
    const a = sampleScorer('a');
    const rowsOf = (scorer: typeof a): string[] => {
      const page = markdownReport([sampleReport({ statistics, run: sampleRun({ scorers: [scorer] }) })]);
      return page.split('\n').filter((line) => line.startsWith('| Mean score'));
    };
    expect(rowsOf(a)).toEqual(['| Mean score of a | 0.5 | 0.2 to 1 |']);
    expect(rowsOf({ ...a, weight: 0 })).toEqual([
      '| Mean score | 0.75 | 0.2 to 1 |',
      '| Mean score of a | 0.5 | 0.2 to 1 |',
    ]);
  });

  it('compares by the only scorer where that does not count, and so in groups', () => {
    const { score, comparison } = sampleReport().statistics;
    const nothing = { ...score, datapoints: 0, mean: null, ci: null, pass_rate: { mean: null, se: null, ci: null } };
    const none = { ...comparison!.score, pairs: 0, diff: null, ci: null, p_value: null, verdict: 'unknown' as const };
    const worse = { ...comparison!.score, diff: -0.25, p_value: 0.01, p_holm: 0.02, verdict: 'worse' as const };
    const statistics = {
      ...sampleReport().statistics,
      ...{ score: nothing, scorers: { a: score }, comparison: { ...comparison!, score: none, scorers: { a: worse } } },
      ...{ group_by: ['category'], correction: { method: 'holm' as const, tests: 0 } },
      groups: [
        {
          ...{ ...nothing, group: { category: 'legal' }, n: 0, failed_samples: 0, scorers: { a: score } },
          comparison: { ...none, p_holm: null, scorers: { a: worse } },
        },
      ],
    };
    const run = sampleRun({ scorers: [{ ...sampleScorer('a'), weight: 0 }] });
    const page = markdownReport([sampleReport({ statistics, run, baseline: run })]);
    expect(page).toContain('**worse by 0.25**. -0.25 (');
    expect(page).toMatch(/\| `legal` \| 2 \| 0\.75 \| 0\.2 to 1 \| 75% \| -0\.25 \| 0\.01 \| 0\.02 \| worse \|/);
    expect(page).toContain('corrected for 1 group tested');
  });

  it('shows so many datapoints as somebody reads', () => {
    const items = Array.from({ length: 12 }, (_, index) => sampleItem(`P${index}`, { samples: [index / 100] }));
    const page = markdownReport([sampleReport({ items, run: sampleRun({ repeats: 1 }) })]);
    expect(page).toContain('### 12 datapoints do not pass, the worst 10 of them');
    expect(page).toContain('| `P9` |');
    expect(page).not.toContain('| `P10` |');
  });
});

describe('GitHub', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reports-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('gets the gates that do not hold, in lines that its runner reads back as they were', () => {
    const gates = [
      { text: 'pass_rate >= 90%', found: '0.5,\n::stop', passed: false, isRegression: false },
      { text: 'mean > 0', found: '1', passed: true, isRegression: false },
    ];
    expect(errorLines(sampleReport({ gates, file: 'evals/a,b:c.ts', run: sampleRun({ name: 'x: 1,\n2' }) }))).toEqual([
      '::error file=evals/a%2Cb%3Ac.ts,title=eval x%3A 1%2C%0A2::pass_rate >= 90%25 does not hold: found 0.5,%0A::stop',
    ]);
    expect(errorLines(stopped())).toEqual([
      '::error title=eval capitals%2C gpt-5.1::The run was stopped: it reached its cost cap; 2 of 6 samples are processed.',
    ]);
  });

  it('gets the page behind what the summary of the step has, and nothing elsewhere', () => {
    const summary = join(folder, 'summary.markdown');
    let written = '';
    const report = (env: Record<string, string>) => tellGitHub([sampleReport()], env, (text) => (written += text));
    report({});
    report({ GITHUB_ACTIONS: 'false', GITHUB_STEP_SUMMARY: '' });
    expect(written).toBe('');
    report({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary });
    report({ GITHUB_STEP_SUMMARY: summary });
    expect(written).toMatch(/^::error [^\n]*\n$/);
    const page = markdownReport([sampleReport()]);
    expect(readFileSync(summary, 'utf8')).toBe(`${page}\n${page}\n`);
  });

  it('reads files in folders that are made, and a folder is no file', async () => {
    const file = join(folder, 'deep/er/report.json');
    prepareReports([{ format: 'json', file }]);
    await writeReports({} as Api, [{ format: 'json', file }], [sampleReport()], false);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      ...{ verdict: 'gate', exit_code: 10, run: { id: 'R1' }, statistics: { samples: 6 } },
      gates: [{ gate: 'mean >= 0.9', found: '0.75', passed: false }, {}],
      items: [{ datapoint_id: 'P1', samples: [{ repeat: 0 }, { repeat: 1 }] }, {}, {}],
    });
    expect(() => prepareReports([{ format: 'json', file: folder }])).toThrow('is a folder');
    expect(() => prepareReports([{ format: 'json', file: join(file, 'below') }])).toThrow();
  });
});
