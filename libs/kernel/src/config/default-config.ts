import { stringify } from 'yaml';
import { putAt, type ConfigTree } from './check-config.js';
import { CoreSettings } from './core-settings.js';
import { settingsOf, type SettingsPart, type Setting, type SettingKind } from './setting.js';
import { FILE_SUFFIX, CONFIG_FILE_SOURCE } from './config-sources.js';

const WIDTH = 118;
const GENERATED = 'Made from what the parts of the program declare (npm run config:write).';

/** The text of config/default.yaml: every setting of core and parts with its default, and what it does. */
export function defaultConfig(parts: readonly SettingsPart[]): string {
  const all: readonly SettingsPart[] = [CoreSettings, ...parts];
  const head = comment(
    `Every setting with its default. Do not edit: give a file of your own with --config, it is laid over this one. ${GENERATED}\nPrecedence: flag, environment variable, --config file, <mode>.yaml, this file.`,
    '',
  );
  const groups = Object.assign({}, ...all.map((part) => part.groups)) as Readonly<Record<string, string>>;
  const root: ConfigTree = {};
  for (const setting of settingsOf(all)) putAt(root, setting.path, setting);
  return `${head}${render(root, groups, '', '')}`;
}

/** The text of config/cloud.yaml: what cloud mode sets otherwise. */
export function cloudConfig(parts: readonly SettingsPart[]): string {
  const lines = settingsOf([CoreSettings, ...parts]).map(({ path, inCloud }) => {
    if (!inCloud) return '';
    const tree: ConfigTree = {};
    putAt(tree, path, inCloud.value);
    return comment(inCloud.doc, '') + stringify(tree);
  });
  return comment(GENERATED, '') + lines.join('');
}

function render(group: ConfigTree, docs: Readonly<Record<string, string>>, above: string, indent: string): string {
  return Object.entries(group as Record<string, ConfigTree | Setting>)
    .map(([name, node]) => {
      const gap = indent === '' ? '\n' : '';
      if (isSetting(node)) return gap + comment(withSource(node), indent) + valueLines(name, node.default, indent);
      const path = `${above}${name}`;
      return `${gap}${comment(docs[path] ?? '', indent)}${indent}${name}:\n${render(node, docs, `${path}.`, `${indent}  `)}`;
    })
    .join('');
}

const isSetting = (node: ConfigTree | Setting): node is Setting => 'schema' in node;

/** What a setting does, and by which flag and variable it is given too. `knownVariables` reads the latter here. */
function withSource({ doc, source }: Setting): string {
  const { flag, variable, secret } = source ?? {};
  const names = [flag, variable, secret && variable && variable + FILE_SUFFIX].filter((name) => name !== undefined);
  const missing = names.some((name) => !doc.includes(name));
  return missing ? `${doc}${doc === '' ? '' : ' '}By ${names.join(', ').replace(/, ([^,]*)$/, ' or $1')}.` : doc;
}

const valueLines = (name: string, value: unknown, indent: string): string =>
  value === undefined
    ? ''
    : stringify({ [name]: value })
        .trimEnd()
        .split('\n')
        .map((line) => `${indent}${line}\n`)
        .join('');

/** Sentences as lines of a comment; a line that begins with a space stays as it is. */
function comment(text: string, indent: string): string {
  const lines = text.split('\n').flatMap((line) => (line.startsWith(' ') ? [line] : wrap(line, WIDTH - indent.length)));
  return lines.map((line) => (line === '' ? '' : `${indent}# ${line}\n`)).join('');
}

function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1)!;
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

export interface SettingHelp {
  flag?: string;
  variable?: string;
  secret?: true;
  kind?: SettingKind;
  help: string;
}

/** Every flag and variable of core and parts, that of the config file first. */
export const settingSources = (parts: readonly SettingsPart[]): SettingHelp[] => [
  { ...CONFIG_FILE_SOURCE, help: 'a yaml file laid over the defaults' },
  ...settingsOf([CoreSettings, ...parts])
    .map(({ source }: Setting) => source)
    .filter((source) => source !== undefined),
];

/** What `--help` says of the settings: a line for each flag and variable. */
export const settingsHelp = (parts: readonly SettingsPart[]): string =>
  settingSources(parts)
    .map(
      ({ flag, variable, help }) =>
        `  ${[flag, variable && (flag ? `(${variable})` : variable)].filter(Boolean).join(' ')}  ${help}`,
    )
    .join('\n');
