/**
 * The generated files of the SDK's API client, from the OpenAPI document of cloud mode: the types of every operation and
 * resource (`schema.ts`), and what the client must know of an operation at run time (`operations.generated.ts`).
 */
import { readFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { format } from 'oxfmt';
import ts from 'typescript';

const JSON_TYPE = 'application/json';
/** What a client gets where the answer is no JSON of a known form: the `Response` itself. */
const UNREAD_ANSWER = 'Response';
/** What a client sends where the body may be a file. */
const FILE_BODY = 'FileBody';

/**
 * @param document the OpenAPI document of cloud mode, which has every route.
 * @returns the text of each file by its name in libs/sdk/src/api, formatted.
 */
export async function sdkFilesOf(document) {
  const operations = operationsOf(document);
  const files = {
    'schema.ts': await schemaText(document, operations),
    'operations.generated.ts': operationsText(operations),
  };
  const options = JSON.parse(readFileSync(new URL('../.oxfmtrc.json', import.meta.url), 'utf8'));
  delete options.ignorePatterns;
  for (const [name, text] of Object.entries(files)) {
    const { code, errors } = await format(name, text, options);
    if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
    files[name] = code;
  }
  return files;
}

/** Every operation of the document with what the two files say of it. */
function operationsOf({ paths, components }) {
  const resolve = (schema) => (schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1)] : schema);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const answer = jsonAnswerOf(operation);
      return {
        id: operation.operationId,
        route: `${method.toUpperCase()} ${path}`,
        operation,
        answer,
        list: isPaged(operation) ? listOf(operation.operationId, answer.schema, resolve) : undefined,
      };
    }),
  );
}

/** @returns the status and schema of the JSON that is answered; undefined where it is a file, a stream or a redirect. */
function jsonAnswerOf({ responses }) {
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const [found] = successes.filter(([, { content }]) => content && JSON_TYPE in content);
  const schema = found?.[1].content[JSON_TYPE].schema;
  return schema && hasForm(schema) ? { status: found[0], schema } : undefined;
}

const hasForm = (schema) => Object.keys(schema).some((key) => key !== 'description');

const isPaged = ({ parameters = [] }) =>
  parameters.some(({ in: place, name }) => place === 'query' && name === 'cursor');

/** @returns the member of a page that holds its items. @throws Error where there is not exactly one, or no `next_cursor`. */
function listOf(id, schema, resolve) {
  const pages = (resolve(schema).anyOf ?? [schema]).map(resolve);
  const names = pages.map(({ properties }) => {
    const lists = Object.keys(properties).filter((name) => resolve(properties[name]).type === 'array');
    if (lists.length !== 1 || !('next_cursor' in properties)) throw new Error(`${id}: not a page of one list`);
    return lists[0];
  });
  if (new Set(names).size !== 1) throw new Error(`${id}: its pages name their list differently`);
  return names[0];
}

function operationsText(operations) {
  const entries = (of) => operations.filter(of);
  return `${HEADER}
import type { Operations } from './schema.js';

/** Method and path of each operation, by its id. */
export const ROUTES = {
${operations.map(({ id, route }) => `  ${id}: '${route}',`).join('\n')}
} as const satisfies Record<keyof Operations, string>;

/** Operations whose answer is a file, a stream or a redirect: the client gives the \`Response\` itself. */
export const UNREAD: ReadonlySet<string> = new Set<keyof Operations>([
${entries(({ answer }) => !answer)
  .map(({ id }) => `  '${id}',`)
  .join('\n')}
]);

/** Operations that answer pages, with the member that holds the items. */
export const LISTS = {
${entries(({ list }) => list)
  .map(({ id, list }) => `  ${id}: '${list}',`)
  .join('\n')}
} as const satisfies Partial<Record<keyof Operations, string>>;
`;
}

const HEADER = '// Made by scripts/generate-sdk.mjs from the OpenAPI document; not edited by hand.';

async function schemaText(document, operations) {
  const nodes = await openapiTS(reduced(document, operations), {
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
    silent: true,
  });
  const source = ts.createSourceFile('schema.ts', astToString(nodes), ts.ScriptTarget.Latest, true);
  const schemas = memberOf(interfaceOf(source, 'components'), 'schemas').type.members;
  const typed = new Map(interfaceOf(source, 'operations').members.map((member) => [nameOf(member), member.type]));
  return `${HEADER}

/** A body that is sent as it is: text, bytes, a form or a stream. */
export type FileBody = string | Uint8Array | Blob | FormData | ReadableStream<Uint8Array>;

/** What each operation takes, and its answer. */
export interface Operations {
${operations.map((each) => operationText(each, typed.get(each.id))).join('\n')}
}

/** A moment in UTC, such as \`2026-11-20T09:00:00.000Z\`. */
export type Timestamp = string;
${schemas.map((schema) => resourceText(schema, extendedBy(schema, schemas))).join('\n')}
`;
}

/** Members that a resource must have so that another one is declared to extend it. */
const SHARED_MIN = 5;

/** @returns the resource with the most members all of which a larger one has, word for word; undefined where there is none. */
function extendedBy(larger, schemas) {
  const members = new Set(membersOf(larger));
  const parts = schemas.filter((schema) => {
    const own = membersOf(schema);
    return own.length >= SHARED_MIN && own.length < members.size && own.every((member) => members.has(member));
  });
  return parts.toSorted((a, b) => membersOf(b).length - membersOf(a).length)[0];
}

const membersOf = ({ type }) =>
  ts.isTypeLiteralNode(type) ? type.members.map((member) => member.getFullText().trim()) : [];

/** The document without what the types leave out: errors, headers, bodies and answers that are files. */
function reduced({ paths: _paths, components, ...document }, operations) {
  const paths = {};
  for (const { route, operation, answer } of operations) {
    const [method, path] = route.split(' ');
    const { operationId, parameters = [], requestBody } = operation;
    const schema = requestBody?.content[JSON_TYPE]?.schema;
    (paths[path] ??= {})[method.toLowerCase()] = {
      operationId,
      parameters: parameters.filter((parameter) => parameter.in !== 'header'),
      ...(schema && hasForm(schema) && { requestBody: { content: { [JSON_TYPE]: { schema } } } }),
      responses: answer
        ? { [answer.status]: { description: '', content: { [JSON_TYPE]: { schema: answer.schema } } } }
        : {},
    };
  }
  return { ...document, paths, components: { schemas: components.schemas } };
}

function operationText({ id, route, operation, answer }, type) {
  const { summary, description, requestBody } = operation;
  const parameters = memberOf(type, 'parameters').type;
  const members = ['path', 'query'].flatMap((place) => {
    const member = memberOf(parameters, place);
    return isNever(member) ? [] : [member.getText()];
  });
  if (requestBody) members.push(`body${requestBody.required ? '' : '?'}: ${bodyText(requestBody, type)};`);
  const answered = answer && memberOf(memberOf(memberOf(type, 'responses').type, answer.status).type, 'content');
  members.push(`answer: ${answered ? memberOf(answered.type, JSON_TYPE).type.getText() : UNREAD_ANSWER};`);
  const words = [`${summary}: \`${route}\`.`, ...(description === undefined ? [] : [description])];
  return `  /** ${words.join('\n   * ')} */\n  ${id}: {\n${plain(members.join('\n'))}\n};`;
}

function bodyText({ content }, type) {
  const others = Object.keys(content).filter((mediaType) => mediaType !== JSON_TYPE);
  const json = content[JSON_TYPE];
  const types = [];
  if (json) {
    const described = memberOf(type, 'requestBody').type;
    types.push(
      hasForm(json.schema) ? memberOf(memberOf(described, 'content').type, JSON_TYPE).type.getText() : 'object',
    );
  }
  if (others.length > 0) types.push(FILE_BODY);
  return types.join(' | ');
}

/** A resource under its own name, an interface where it is an object. @param part what it extends. */
function resourceText(member, part) {
  const name = nameOf(member);
  const comment = ts.getLeadingCommentRanges(member.getFullText(), 0) ?? [];
  const words = comment.map(({ pos, end }) => `${member.getFullText().slice(pos, end)}\n`).join('');
  const known = new Set(part && membersOf(part));
  const own = membersOf(member).filter((each) => !known.has(each));
  const text = plain(part ? `{\n${own.join('\n')}}` : member.type.getText());
  const head = part ? `${name} extends ${nameOf(part)}` : name;
  const declared = ts.isTypeLiteralNode(member.type) ? `interface ${head} ${text}` : `type ${name} = ${text};`;
  return `\n${plain(words)}export ${declared}`;
}

/** Resources by their names, and comments without what the types say already. */
const plain = (text) =>
  text
    .replaceAll(/components\["schemas"\]\["(\w+)"\]/g, '$1')
    .replaceAll('(never | null)', 'null')
    .replaceAll('@description ', '')
    .replaceAll(
      /^ *\* Format: date-time\n((?: *\* (?!@).*\n)*) *\* @example .*\n( *\*\/\n *\w+\??: )string/gm,
      '$1$2Timestamp',
    )
    .replaceAll(/^ *\/\*\*\n *\*\/ *\n/gm, '')
    .replaceAll(/^ *\/\*\* @enum \{[^}]*\} *\*\/ *\n/gm, '')
    .replaceAll(/^ *\* @enum \{[^}]*\} *\n/gm, '')
    .replaceAll(/\/\*\*\n *\* (.*)\n *\*\//g, '/** $1 */');

const interfaceOf = (source, name) =>
  source.statements.find((statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name);
const memberOf = (type, name) => type.members.find((member) => nameOf(member) === name);
const nameOf = ({ name }) => (ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : name.getText());
const isNever = (member) => !member || member.type.kind === ts.SyntaxKind.NeverKeyword;
