import { Ajv } from 'ajv';
import type { Chart } from './chart.ts';

/** Blocks that an `end` closes. */
const OPENING = ['if', 'with', 'range', 'define'];
/** What the templates may call: keywords and functions of Go's templates, and of Helm's the ones that are used here. */
const CALLABLE = new Set([
  ...OPENING,
  ...['else', 'end', 'and', 'or', 'not', 'print', 'printf'],
  ...[
    'include',
    'toYaml',
    'nindent',
    'quote',
    'default',
    'dict',
    'contains',
    'trim',
    'trunc',
    'trimSuffix',
    'sha256sum',
  ],
]);
/** Components whose values a named template gets as a whole, under the name `values`. */
const COMPONENTS = ['server', 'gateway'];

/**
 * Checks a chart as far as that goes without Helm: its values by its schema, the balance of its templates, that every
 * name they use is there (values, named templates, functions) and every name that is there is used, and that secrets are
 * only referred to. What the templates render to is not seen.
 * @returns one line a fault.
 */
export function chartFaults(chart: Chart): string[] {
  return [
    ...versionFaults(chart),
    ...schemaFaults(chart),
    ...templateFaults(chart),
    ...valueFaults(chart),
    ...spoolFaults(chart),
  ];
}

function versionFaults({ chart }: Chart): string[] {
  const isVersion = (value: unknown) => typeof value === 'string' && /^\d+\.\d+\.\d+/.test(value);
  return [
    ...(chart['apiVersion'] === 'v2' ? [] : ['Chart.yaml: apiVersion must be v2']),
    ...['version', 'appVersion']
      .filter((key) => !isVersion(chart[key]))
      .map((key) => `Chart.yaml: ${key} is no version`),
  ];
}

function schemaFaults({ schema, values }: Chart): string[] {
  const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });
  const validate = ajv.compile(schema);
  if (validate(values)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `values.yaml${instancePath}: ${message}`);
}

/** Actions of a template without comments, as words. */
function actionsOf(text: string): string[] {
  return [...text.matchAll(/\{\{-?\s*([\s\S]*?)\s*-?\}\}/g)]
    .map(([, action]) => action!)
    .filter((action) => !action.startsWith('/*'));
}

function templateFaults({ templates }: Chart): string[] {
  const faults: string[] = [];
  const defined = new Set<string>();
  const included = new Set<string>();
  for (const [name, text] of Object.entries(templates)) {
    if (text.split('{{').length !== text.split('}}').length) faults.push(`${name}: braces do not match`);
    let depth = 0;
    for (const action of actionsOf(text)) {
      const [first = ''] = action.split(/\s/);
      if (OPENING.includes(first)) depth++;
      if (first === 'end') depth--;
      if (depth < 0) faults.push(`${name}: one end too many`);
      const define = /^define "([^"]+)"$/.exec(action)?.[1];
      if (define) defined.add(define);
      for (const [, include] of action.matchAll(/include "([^"]+)"/g)) included.add(include!);
      const words = action.replace(/"[^"]*"/g, ' ').matchAll(/(?<![.$\w])[a-zA-Z]\w*/g);
      for (const [word] of words) if (!CALLABLE.has(word)) faults.push(`${name}: ${word} is not known`);
    }
    if (depth > 0) faults.push(`${name}: ${depth} blocks have no end`);
    if (/^kind: Secret$/m.test(text)) faults.push(`${name}: secrets are made by the user, not by the chart`);
  }
  for (const name of included) if (!defined.has(name)) faults.push(`include "${name}": there is no such template`);
  for (const name of defined) if (!included.has(name)) faults.push(`define "${name}": nobody uses it`);
  return faults;
}

function valueFaults({ templates, values }: Chart): string[] {
  const used = usedPaths(Object.values(templates));
  const faults = [...used]
    .filter((path) => !exists(values, path.split('.')))
    .map((path) => `.Values.${path}: not in values.yaml`);
  for (const leaf of leaves(values, [])) {
    const isUsed = [...used].some((path) => leaf === path || leaf.startsWith(`${path}.`));
    if (!isUsed) faults.push(`values.yaml: ${leaf} is used by no template`);
  }
  return faults;
}

/** When its values have a disk that stays. */
const PERSISTENT = 'if and .Values.gateway.spool.enabled .Values.gateway.spool.persistence.enabled';

/**
 * The gateway's spool is for what must survive its pod: once it is turned on, the disk stays unless the values say otherwise,
 * and all that depends on the kind of the workload asks the same question.
 */
function spoolFaults({ templates, values }: Chart): string[] {
  const faults: string[] = [];
  const { spool } = values['gateway'] as { spool?: { persistence?: { enabled?: unknown } } };
  if (spool?.persistence?.enabled !== true) faults.push('values.yaml: gateway.spool.persistence is not on by default');
  const workload = templates['gateway-workload.yaml'] ?? '';
  for (const [what, place] of [
    ['volumeClaimTemplates', blockOf(workload, PERSISTENT)],
    ['emptyDir', blockOf(workload, PERSISTENT.replace(/ (\S+persistence\S+)$/, ' (not $1)'))],
    ['StatefulSet', blockOf(templates['_helpers.tpl'] ?? '', PERSISTENT)],
  ] as const) {
    if (!place.includes(what))
      faults.push(`gateway-workload.yaml: ${what} does not depend on gateway.spool.persistence`);
  }
  for (const name of ['gateway-workload.yaml', 'gateway-autoscaler.yaml']) {
    if (!/^\s*kind: \{\{ include "spandrel\.gatewayKind" \. \}\}$/m.test(templates[name] ?? '')) {
      faults.push(`${name}: its kind is not spandrel.gatewayKind`);
    }
  }
  return faults;
}

/** What stands between an action and the next `else` or `end`, inner blocks left out of account. */
function blockOf(text: string, action: string): string {
  const [, after = ''] = text.split(new RegExp(`\\{\\{-? ${action.replaceAll(/[.()]/g, '\\$&')} -?\\}\\}`));
  let depth = 1;
  for (const { 0: found, 1: word, index } of after.matchAll(/\{\{-?\s*(if|with|range|else|end)\b[^}]*\}\}/g)) {
    if (OPENING.includes(word!)) depth++;
    else if (word === 'end') depth--;
    if (depth === 0 || (depth === 1 && word === 'else')) return after.slice(0, index + found.length);
  }
  return after;
}

function usedPaths(texts: readonly string[]): Set<string> {
  const used = new Set<string>();
  for (const action of texts.flatMap(actionsOf)) {
    for (const [, path] of action.matchAll(/(?<!\w)\$?(?:\.root)?\.Values\.([\w.]+)/g))
      if (!COMPONENTS.includes(path!)) used.add(path!);
    for (const [, path] of action.matchAll(/(?<!\w)\.values\.([\w.]+)/g)) {
      for (const component of COMPONENTS) used.add(`${component}.${path!}`);
    }
  }
  return used;
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function exists(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  return isTree(value) && name in value && exists(value[name], rest);
}

function leaves(value: unknown, path: readonly string[]): string[] {
  if (!isTree(value) || Object.keys(value).length === 0) return [path.join('.')];
  return Object.entries(value).flatMap(([name, child]) => leaves(child, [...path, name]));
}
