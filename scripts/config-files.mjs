import { stringify } from 'yaml';

const WIDTH = 118;
const GENERATED = 'Made from what the parts of the program declare (npm run config:write).';

/**
 * The texts of config/default.yaml (every setting with its default, and what it does) and of config/cloud.yaml (what
 * cloud mode sets otherwise).
 * @param parts the parts of the settings, that of the core first.
 */
export function configFiles(parts) {
  const settings = parts.flatMap(({ declared }) => Object.values(declared));
  const groups = Object.assign({}, ...parts.map((part) => part.groups));
  const root = {};
  for (const setting of settings) putAt(root, setting.path, setting);
  const head = `Every setting with its default. Do not edit: give a file of your own with --config, it is laid over this one. ${GENERATED}\nPrecedence: flag, environment variable, --config file, <mode>.yaml, this file.`;
  const inCloud = settings.filter((setting) => setting.inCloud).map(cloudLines);
  return {
    default: comment(head, '') + render(root, groups, '', ''),
    cloud: comment(GENERATED, '') + inCloud.join(''),
  };
}

function cloudLines({ path, inCloud: { doc, value } }) {
  const tree = {};
  putAt(tree, path, value);
  return comment(doc, '') + stringify(tree);
}

function putAt(tree, path, value) {
  const names = path.split('.');
  const last = names.pop();
  names.reduce((node, name) => (node[name] ??= {}), tree)[last] = value;
}

function render(group, docs, above, indent) {
  return Object.entries(group)
    .map(([name, node]) => {
      const gap = indent === '' ? '\n' : '';
      if ('schema' in node) return gap + comment(withSource(node), indent) + valueLines(name, node.default, indent);
      const path = `${above}${name}`;
      return `${gap}${comment(docs[path] ?? '', indent)}${indent}${name}:\n${render(node, docs, `${path}.`, `${indent}  `)}`;
    })
    .join('');
}

/** What a setting does, and by which flag and variable it is given too. `knownVariables` reads the latter in the file. */
function withSource({ doc, source: { flag, variable, secret } = {} }) {
  const names = [flag, variable, secret && `${variable}_FILE`].filter((name) => name !== undefined);
  const missing = names.some((name) => !doc.includes(name));
  return missing ? `${doc}${doc === '' ? '' : ' '}By ${names.join(', ').replace(/, ([^,]*)$/, ' or $1')}.` : doc;
}

function valueLines(name, value, indent) {
  if (value === undefined) return '';
  const lines = stringify({ [name]: value })
    .trimEnd()
    .split('\n');
  return lines.map((line) => `${indent}${line}\n`).join('');
}

/** Sentences as lines of a comment; a line that begins with a space stays as it is. */
function comment(text, indent) {
  const lines = text.split('\n').flatMap((line) => (line.startsWith(' ') ? [line] : wrap(line, WIDTH - indent.length)));
  return lines.map((line) => (line === '' ? '' : `${indent}# ${line}\n`)).join('');
}

function wrap(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
