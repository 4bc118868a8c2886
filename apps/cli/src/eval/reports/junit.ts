import { stripVTControlCharacters } from 'node:util';
import type { EvalItem } from '@spandrel/contract';
import { formatMetadataValue } from '@spandrel/contract/browser';
import { describeStop } from '../words.js';
import type { EvalReport, EvalFault } from './report-items.js';
import { judgeItem, cutText, createPreview, showWorst, textOf } from './report-items.js';

interface XmlElement {
  name: string;
  attributes?: Readonly<Record<string, string | number | undefined>>;
  content?: readonly XmlElement[] | string;
}

/** A document of one element, indented. Texts may hold anything: what XML cannot say is left out. */
const xmlDocument = (root: XmlElement): string => `<?xml version="1.0" encoding="UTF-8"?>\n${elementText(root, '')}\n`;

function elementText({ name, attributes = {}, content }: XmlElement, indent: string): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${attributeText(String(value))}"`);
  const head = `${indent}<${name}${written.join('')}`;
  if (content === undefined || content.length === 0) return `${head}/>`;
  if (typeof content === 'string') return `${head}>${escaped(content)}</${name}>`;
  return [`${head}>`, ...content.map((child) => elementText(child, `${indent}  `)), `${indent}</${name}>`].join('\n');
}

/** Line ends and tabs of an attribute would be read as blanks. */
const attributeText = (text: string): string =>
  escaped(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');

/** Everything that XML 1.0 does not take in any form (section 2.2), and the controls that it takes and no reader shows. */
// oxlint-disable-next-line no-control-regex
const UNSAYABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufdd0-\ufdef\ufffe\uffff]/g;

const escaped = (text: string): string =>
  stripVTControlCharacters(text)
    .toWellFormed()
    .replace(UNSAYABLE, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');

/** Lists in the statistics have one entry for each `k`. */
const isPassK = (value: unknown): value is { k: number; [member: string]: number | null } =>
  typeof value === 'object' && value !== null && 'k' in value;

/** What a run was, and its statistics, as names and values: `score.mean` `0.7`. What has no value is left out. */
function statisticsProperties({ run, statistics, dataset, url, file }: EvalReport): [string, string][] {
  const { config } = run;
  const about = {
    run_id: run.id,
    url,
    file,
    dataset: dataset.name,
    dataset_id: run.dataset_id,
    dataset_version: run.dataset_version,
    model: config.model,
    status: run.status,
    stop_reason: run.stop_reason,
    metadata: run.metadata,
  };
  const { run_id: _id, status: _status, group_by: keys = [], groups, ...numbers } = statistics;
  return flattened({
    ...about,
    ...numbers,
    groups: groups && Object.fromEntries(groups.map(({ group, ...ofGroup }) => [groupName(keys, group), ofGroup])),
  });
}

/** `category=legal,lang=en` */
const groupName = (keys: readonly string[], group: Record<string, unknown>): string =>
  keys.map((key) => `${key}=${formatMetadataValue(group[key])}`).join(',');

/** Paths of all values that are neither objects nor lists. */
function flattened(value: unknown, path = ''): [string, string][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [[path, String(value)]];
  if (Array.isArray(value)) {
    return value.filter(isPassK).flatMap(({ k, ...rest }) =>
      Object.entries(rest)
        .filter(([, amount]) => amount !== null)
        .map(([member, amount]): [string, string] => [`${path}.${member}@${k}`, String(amount)]),
    );
  }
  const under = path === '' ? '' : `${path}.`;
  return Object.entries(value).flatMap(([member, inner]) => flattened(inner, under + member));
}

const NAME_COLUMNS_MAX = 80;
/** The longest text of a datapoint: readers of these files load them whole. */
const TEXT_CHARACTERS_MAX = 10_000;
const SECOND_MS = 1_000;

/** Runs as a JUnit file: a suite a run with a case a datapoint, and a suite for its gates, without control characters. */
export function junitReport(reports: readonly EvalReport[], faults: readonly EvalFault[] = []): string {
  const suites = [
    ...reports.flatMap((report) => [datapointSuite(report), gateSuite(report)]),
    ...faults.map(faultSuite),
  ];
  const sum = (key: 'tests' | 'failures' | 'errors'): number =>
    suites.reduce((total, { attributes }) => total + Number(attributes![key]), 0);
  const seconds = reports.reduce((total, { run }) => total + measureSeconds(run), 0);
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
    ...items.map((item) => datapointCase(item, run, toGroup(dataset.name))),
    ...(stop === null ? [] : [{ name: 'system-err', content: stop }]),
  ]);
}

function datapointCase(item: EvalItem, run: EvalReport['run'], classname: string): XmlElement {
  const { outcome, why } = judgeItem(item, run);
  const worst = showWorst(item);
  const name = `${createPreview(item.input, NAME_COLUMNS_MAX)} [${item.datapoint_id}]`;
  return testCase(classname, name, item.latency_ms, outcome, why + worst.which, renderDetails(worst.item));
}

function gateSuite({ run, gates, dataset, skipped }: EvalReport): XmlElement {
  const classname = `${toGroup(dataset.name)}.gates`;
  const stop = describeStop(run);
  return suite(`${run.name}: gates`, run, [
    // Anyone who reads this file alone must see that a run that was stopped says nothing.
    ...(stop === null ? [] : [testCase(classname, 'the run is completed', null, 'error', stop)]),
    ...(skipped === undefined ? [] : [testCase(classname, 'no regression', null, 'skipped', skipped)]),
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
      time: measureSeconds(run).toFixed(3),
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
  const attributes = { classname, name, time: ((latencyMs ?? 0) / SECOND_MS).toFixed(3) };
  if (outcome === 'passed') return { name: 'testcase', attributes, content: [] };
  const message = cutText(why, TEXT_CHARACTERS_MAX);
  const child =
    outcome === 'skipped' ? { attributes: { message } } : { attributes: { message, type: outcome }, content: details };
  return { name: 'testcase', attributes, content: [{ name: CHILDREN[outcome], ...child }] };
}

/** What somebody needs to understand a case without opening the dashboard. */
function renderDetails(item: EvalItem): string {
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
const toGroup = (datasetName: string): string => `eval.${datasetName.replaceAll('.', '_')}`;

function measureSeconds({ started_at: started, ended_at: ended }: Times): number {
  if (started === null || ended === null) return 0;
  return Math.max(0, Date.parse(ended) - Date.parse(started)) / SECOND_MS;
}
