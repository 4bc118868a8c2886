import type { EvalItem } from '@spandrel/contract';
import type { EvalFault, EvalReport } from './eval-report.js';
import { outcomeOf } from './item-outcome.js';
import { describeStop } from '../words/stop-words.js';
import { cutText, previewOf, textOf } from './preview.js';
import { statisticsProperties } from './statistics-properties.js';
import { xmlDocument, type XmlElement } from './xml.js';

const NAME_COLUMNS_MAX = 80;
/** The longest text of a datapoint: readers of these files load them whole. */
const TEXT_CHARACTERS_MAX = 10_000;
const SECOND_MS = 1_000;

/**
 * Runs as a JUnit file, as Jenkins, GitLab and others read it: a suite a run with a case a datapoint, and a suite for its
 * gates. Texts in it hold no control characters.
 */
export function junitReport(reports: readonly EvalReport[], faults: readonly EvalFault[] = []): string {
  const suites = [
    ...reports.flatMap((report) => [datapointSuite(report), gateSuite(report)]),
    ...faults.map(faultSuite),
  ];
  const sum = (key: 'tests' | 'failures' | 'errors'): number =>
    suites.reduce((total, { attributes }) => total + Number(attributes![key]), 0);
  const seconds = reports.reduce((total, { run }) => total + secondsOf(run), 0);
  return xmlDocument({
    name: 'testsuites',
    attributes: {
      name: 'spandrel',
      tests: sum('tests'),
      failures: sum('failures'),
      errors: sum('errors'),
      time: seconds.toFixed(3),
    },
    content: suites,
  });
}

function datapointSuite(report: EvalReport): XmlElement {
  const { run, items, dataset } = report;
  const properties = statisticsProperties(report).map(([name, value]) => ({
    name: 'property',
    attributes: { name, value },
  }));
  const stop = describeStop(run);
  return suite(run.name, run, [
    { name: 'properties', content: properties },
    ...items.map((item) => datapointCase(item, run.pass_score, groupOf(dataset.name))),
    ...(stop === null ? [] : [{ name: 'system-err', content: stop }]),
  ]);
}

function datapointCase(item: EvalItem, passScore: number, classname: string): XmlElement {
  const { outcome, why } = outcomeOf(item, passScore);
  const name = `${previewOf(item.input, NAME_COLUMNS_MAX)} [${item.datapoint_id}]`;
  return testCase(classname, name, item.latency_ms, outcome, why, detailsOf(item));
}

function gateSuite({ run, gates, dataset }: EvalReport): XmlElement {
  const classname = `${groupOf(dataset.name)}.gates`;
  const stop = describeStop(run);
  return suite(`${run.name}: gates`, run, [
    // Whoever reads this file alone must see that a run that was stopped says nothing.
    ...(stop === null ? [] : [testCase(classname, 'the run is completed', null, 'error', stop)]),
    ...gates.map(({ text, found, passed }) =>
      passed === null
        ? testCase(classname, text, null, 'skipped', 'not judged')
        : testCase(classname, text, null, passed ? 'passed' : 'failed', `does not hold: found ${found}`),
    ),
  ]);
}

/** An eval that could not be run is an error: a file without it would look as if all were well. */
function faultSuite({ file, fault }: EvalFault): XmlElement {
  const now = new Date().toISOString();
  const times = { created_at: now, started_at: null, ended_at: null };
  return suite(file, times, [testCase('eval.files', 'the eval is run', null, 'error', fault)]);
}

type Times = Pick<EvalReport['run'], 'created_at' | 'started_at' | 'ended_at'>;

/** A suite that counts its cases. */
function suite(name: string, run: Times, content: readonly XmlElement[]): XmlElement {
  const cases = content.filter((element) => element.name === 'testcase');
  const having = (child: string): number =>
    cases.filter((element) => (element.content as XmlElement[]).some((inner) => inner.name === child)).length;
  return {
    name: 'testsuite',
    attributes: {
      name,
      tests: cases.length,
      failures: having('failure'),
      errors: having('error'),
      skipped: having('skipped'),
      time: secondsOf(run).toFixed(3),
      // Readers take a time with an offset for a fault.
      timestamp: (run.started_at ?? run.created_at).replace(/(\.\d+)?Z$/, ''),
    },
    content,
  };
}

const CHILDREN = { failed: 'failure', error: 'error', skipped: 'skipped' } as const;

function testCase(
  classname: string,
  name: string,
  latencyMs: number | null,
  outcome: keyof typeof CHILDREN | 'passed',
  why: string,
  details = '',
): XmlElement {
  const message = cutText(why, TEXT_CHARACTERS_MAX);
  return {
    name: 'testcase',
    attributes: { classname, name, time: ((latencyMs ?? 0) / SECOND_MS).toFixed(3) },
    content:
      outcome === 'passed'
        ? []
        : [
            {
              name: CHILDREN[outcome],
              attributes: { message, ...(outcome !== 'skipped' && { type: outcome }) },
              ...(outcome !== 'skipped' && details !== '' && { content: details }),
            },
          ],
  };
}

/** What somebody needs to understand a case without opening the dashboard. */
function detailsOf(item: EvalItem): string {
  const { input, expected, output, score_reason: reason, error, trace_id: trace } = item;
  const parts: [string, unknown][] = [
    ['Input', input],
    ['Expected', expected],
    ['Output', output],
    ['Reason', reason],
    ['Error', error],
    ['Trace', trace],
  ];
  return parts
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${cutText(textOf(value), TEXT_CHARACTERS_MAX)}`)
    .join('\n');
}

/** Readers take what stands before the last dot for a package. */
const groupOf = (datasetName: string): string => `eval.${datasetName.replaceAll('.', '_')}`;

function secondsOf({ started_at: started, ended_at: ended }: Times): number {
  if (started === null || ended === null) return 0;
  return Math.max(0, Date.parse(ended) - Date.parse(started)) / SECOND_MS;
}
