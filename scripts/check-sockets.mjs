/**
 * Checks that nothing outside can end a program by an error that nobody listens to (docs/adr/0053-uncaught-socket-errors.md):
 *
 * - a socket that Node's HTTP server hands over (`connect`, `upgrade`) gets a listener for `error`, in the handler or in what that
 *   hands it to; that of `clientError` goes to `refuseMalformed`, which minds the answers that are owed on it;
 * - an HTTP server is made with `IntakeRequest`, so that CONNECT hands over no socket, and one with a listener for `upgrade` asks
 *   `opensWebSocket`, which refuses upgrades with a body: these hand over something that is no socket;
 * - what a library makes that can emit `error` (sockets, servers, proxies, pools, threads, processes, streams) gets a listener in its
 *   file, or goes to `pipeline` and the like. A pool of Postgres has its clients listened to as well, since one that is lent out reports
 *   its errors itself.
 *
 * `node scripts/check-sockets.mjs [root]` prints one line a fault and ends with 1 when there is one.
 */
import '../bin/require-node.mjs';
import fs, { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));

/** Where a listener is that this script cannot see, by file and what is made there. */
const HEARD_ELSEWHERE = [
  { file: 'libs/otlp/src/http/read-body.ts', of: /^create/, where: 'readBody hands each to pipeline' },
  {
    file: 'apps/gateway/src/recording/decode-body.ts',
    of: /^create/,
    where: 'DecodingStage listens to what decoderOf gives it',
  },
  { file: 'libs/kernel/src/redis-client.ts', of: /^createClient$/, where: 'its two callers listen' },
  {
    file: 'libs/storage/src/postgres/postgres-pool.ts',
    of: /^Client$/,
    where: 'it listens to the connection, which alone is used',
  },
  { file: 'apps/gateway/src/gateway-server.ts', of: /^createServer$/, where: 'the gateway listens once it is bound' },
  {
    file: 'apps/gateway/src/upstream/dial.ts',
    of: /^connect$/,
    where: 'Http1Connection listens to what dial gives it',
  },
  {
    file: 'apps/cli/src/demo/fake-model.ts',
    of: /^(createServer|IntakeRequest)$/,
    where: 'serves the demo on loopback',
  },
];

const SOURCES = ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts', 'plugins/**/*.ts'];
/** Tests, and what runs in browsers and in the applications of users. */
const LEFT_OUT = /\.spec\.ts$|\.d\.ts$|\/testing\/|\/fake-[^/]*\.ts$|^apps\/dashboard\/|^libs\/sdk\//;

/** Functions and classes whose result can emit `error`, by their name and, for common ones, the module that they are of. */
const MAKERS = [
  { name: 'createProxyServer' },
  { name: 'connect', of: /^node:(net|tls|http2)$/ },
  { name: 'createConnection', of: /^node:net$/ },
  { name: 'createServer', of: /^node:(net|tls|http|https)$/ },
  { name: 'request', of: /^node:https?$/ },
  { name: 'get', of: /^node:https?$/ },
  { name: 'spawn', of: /^node:child_process$/ },
  { name: 'fork', of: /^node:child_process$/ },
  { name: 'Worker', of: /^node:worker_threads$/ },
  { name: 'Socket', of: /^node:net$/ },
  { name: 'createReadStream', of: /^node:fs$/ },
  { name: 'createWriteStream', of: /^node:fs$/ },
  { name: /^create(Gunzip|Gzip|Inflate|InflateRaw|Deflate|DeflateRaw|Unzip|Brotli|Zstd)/, of: /^node:zlib$/ },
  { name: 'Pool', of: /^pg$/ },
  { name: 'Client', of: /^pg$/ },
  { name: 'createClient', of: /^redis$/ },
  { name: 'Redis', of: /^ioredis$/ },
  { name: 'Piscina' },
  { name: 'WebSocket', of: /^ws$/ },
  { name: 'WebSocketServer' },
];
/** What takes a stream and listens to it. */
const TAKES_STREAMS = new Set(['pipeline', 'finished', 'compose', 'toWeb']);
const LISTENS = new Set(['on', 'once', 'addListener', 'prependListener']);
const HANDS_OVER = new Set(['connect', 'upgrade']);

const faults = [];
const files = fs
  .globSync(SOURCES, { cwd: root })
  .filter((file) => !LEFT_OUT.test(file))
  .toSorted()
  .map((file) => ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true));
/** Functions and methods of all files by their name. */
const functions = Map.groupBy(files.flatMap(functionsIn), ({ name }) => name);
const usedExceptions = new Set();
for (const file of files) checkFile(file);
for (const exception of HEARD_ELSEWHERE) {
  const isThere = files.some(({ fileName }) => fileName === exception.file);
  if (isThere && !usedExceptions.has(exception))
    faults.push(`scripts/check-sockets.mjs: nothing in ${exception.file} needs an exception`);
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function checkFile(file) {
  const modules = modulesOf(file);
  walk(file, (node) => {
    const event = eventOf(node);
    if (
      event &&
      HANDS_OVER.has(event.name) &&
      mayHandOver(event.handler, file) &&
      !hearsAt(event.handler, 1, 'heard') &&
      !isException(file, event.name)
    ) {
      faults.push(`${placeOf(node)}: the socket of "${event.name}" gets no listener for "error"`);
    }
    if (event?.name === 'upgrade' && !/shouldUpgradeCallback: opensWebSocket\b/.test(file.text) && makesServer(file)) {
      faults.push(`${placeOf(node)}: a server that upgrades asks "shouldUpgradeCallback: opensWebSocket"`);
    }
    const handler = event?.name === 'clientError' ? event.handler : clientErrorHandlerOf(node);
    if (handler && !hearsAt(handler, 1, 'refused')) {
      faults.push(`${placeOf(node)}: the socket of "clientError" does not go to refuseMalformed`);
    }
    const made = makerOf(node, modules);
    if (made) checkMade(node, made, file);
  });
}

function checkMade(node, { name, module }, file) {
  const isServer = isHttp(module) && name === 'createServer';
  if (isServer && !/\bIncomingMessage: IntakeRequest\b/.test(node.getText()) && !isException(file, 'IntakeRequest')) {
    faults.push(`${placeOf(node)}: an HTTP server is made with "IncomingMessage: IntakeRequest"`);
  }
  const holder = holderOf(node);
  if (!holder || isException(file, name)) return;
  if (holder === 'unknown' || !isHeard(holder, 'error', file)) {
    faults.push(`${placeOf(node)}: what ${name} makes gets no listener for "error"`);
  }
  if (name === 'Pool' && holder !== 'unknown' && !isHeard(holder, 'connect', file)) {
    faults.push(`${placeOf(node)}: clients of the pool get no listener for "error" when they "connect"`);
  }
}

/** A handler that is no function of the sources, such as `resolve`, hands over a socket only in a file that makes a server. */
function mayHandOver(handler, file) {
  return handler !== undefined && (isFunction(handler) || functions.has(nameOf(handler)) || makesServer(file));
}

/** Whether what has a name is listened to where this script cannot see it. */
function isException({ fileName }, name) {
  const exception = HEARD_ELSEWHERE.find((each) => each.file === fileName && each.of.test(name));
  if (exception) usedExceptions.add(exception);
  return exception !== undefined;
}

/** Whether a name in a file gets a listener for an event, or goes to what listens. */
function isHeard(holder, event, file) {
  let heard = false;
  walk(file, (node) => {
    if (!ts.isCallExpression(node)) return;
    const { expression, arguments: given } = node;
    if (!ts.isPropertyAccessExpression(expression) && !ts.isIdentifier(expression)) return;
    const name = nameOf(expression);
    if (ts.isPropertyAccessExpression(expression) && LISTENS.has(name) && given[0]?.text === event) {
      heard ||= rootsOf(expression.expression).includes(holder);
    }
    if (TAKES_STREAMS.has(name)) heard ||= given.some((argument) => argument.getText() === holder);
  });
  return heard;
}

/** The objects that a chain of calls begins with: of `a.on(…).on(…)` it is `a`. */
function rootsOf(expression) {
  const chain = [expression.getText()];
  let at = expression;
  while (ts.isCallExpression(at) && ts.isPropertyAccessExpression(at.expression)) {
    at = at.expression.expression;
    chain.push(at.getText());
  }
  return chain;
}

/**
 * The name that holds what an expression makes, as the rest of the file writes it; `unknown` when that cannot be seen, and
 * `undefined` when it is listened to on the spot.
 */
function holderOf(made) {
  let node = made;
  for (;;) {
    const { parent } = node;
    if (ts.isPropertyAccessExpression(parent) && parent.expression === node) {
      if (!ts.isCallExpression(parent.parent)) return 'unknown';
      if (LISTENS.has(parent.name.text) && parent.parent.arguments[0]?.text === 'error') return undefined;
      node = parent.parent;
    } else if (ts.isCallExpression(parent) && parent.expression !== node) {
      return TAKES_STREAMS.has(nameOf(parent.expression)) ? undefined : 'unknown';
    } else if (
      ts.isAwaitExpression(parent) ||
      ts.isAsExpression(parent) ||
      ts.isParenthesizedExpression(parent) ||
      ts.isConditionalExpression(parent) ||
      ts.isNonNullExpression(parent)
    ) {
      node = parent;
    } else if (ts.isVariableDeclaration(parent) && ts.isIdentifier(parent.name)) return parent.name.text;
    else if (ts.isPropertyDeclaration(parent)) return `this.${parent.name.getText()}`;
    else if (ts.isBinaryExpression(parent) && parent.right === node) return parent.left.getText();
    else return 'unknown';
  }
}

/** Whether a function listens to the errors of one of its parameters, or hands it to one that does. */
function hearsAt(handler, index, how, depth = 0) {
  if (depth > 6 || handler === undefined) return false;
  if (!isFunction(handler)) {
    const name = nameOf(ts.isCallExpression(handler) ? handler.expression.expression : handler);
    return (functions.get(name) ?? []).some(({ node }) => hearsAt(node, index, how, depth + 1));
  }
  const parameter = handler.parameters[index]?.name;
  if (!parameter || !ts.isIdentifier(parameter))
    return handler.parameters.length <= index && !hasThisMany(handler, index);
  let heard = false;
  walk(handler, (node) => {
    if (heard || !ts.isCallExpression(node)) return;
    const { expression, arguments: given } = node;
    if (
      how === 'heard' &&
      ts.isPropertyAccessExpression(expression) &&
      LISTENS.has(expression.name.text) &&
      given[0]?.text === 'error'
    ) {
      heard = rootsOf(expression.expression).includes(parameter.text);
    }
    const at = given.findIndex((argument) => bare(argument).getText() === parameter.text);
    if (heard || at === -1) return;
    const name = nameOf(expression);
    heard =
      (how === 'refused' && name === 'refuseMalformed') ||
      (functions.get(name) ?? []).some(({ node: other }) => hearsAt(other, at, how, depth + 1));
  });
  return heard;
}

/** The event of a client's socket has no parameters; those of an HTTP server have three. */
function hasThisMany(handler, index) {
  return handler.parameters.length > index;
}

/** `x.on('event', handler)` */
function eventOf(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  if (!LISTENS.has(node.expression.name.text) || !node.arguments[0] || !ts.isStringLiteral(node.arguments[0]))
    return undefined;
  return { name: node.arguments[0].text, handler: node.arguments[1] };
}

/** `clientErrorHandler: handler`, an option of Fastify. */
function clientErrorHandlerOf(node) {
  const isIt = ts.isPropertyAssignment(node) && node.name.getText() === 'clientErrorHandler';
  return isIt ? node.initializer : undefined;
}

function makesServer(file) {
  return /\bcreateServer\(/.test(file.text);
}

function isHttp(module) {
  return module === 'node:http' || module === 'node:https';
}

/** What an expression makes that can emit `error`. */
function makerOf(node, modules) {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return undefined;
  const { expression } = node;
  const name = nameOf(expression);
  const module = modules.get(ts.isPropertyAccessExpression(expression) ? expression.expression.getText() : name);
  const maker = MAKERS.find(
    (each) =>
      (each.name instanceof RegExp ? each.name.test(name) : each.name === name) &&
      (!each.of || each.of.test(module ?? '')),
  );
  return maker && { name, module };
}

/** The module that each imported name of a file is of. */
function modulesOf(file) {
  const modules = new Map();
  walk(file, (node) => {
    if (ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly) {
      const { name, namedBindings } = node.importClause ?? {};
      const module = node.moduleSpecifier.text;
      if (name) modules.set(name.text, module);
      if (namedBindings && ts.isNamespaceImport(namedBindings)) modules.set(namedBindings.name.text, module);
      else for (const element of namedBindings?.elements ?? []) modules.set(element.name.text, module);
    }
    const loads =
      ts.isVariableDeclaration(node) && /^await import\('([^']+)'\)$/.exec(node.initializer?.getText() ?? '');
    if (loads) modules.set(node.name.getText(), loads[1]);
  });
  return modules;
}

function functionsIn(file) {
  const found = [];
  walk(file, (node) => {
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.name && node.body) {
      found.push({ name: node.name.getText(), node });
    } else if (ts.isVariableDeclaration(node) && node.initializer && isFunction(node.initializer)) {
      found.push({ name: node.name.getText(), node: node.initializer });
    } else if (ts.isPropertyAssignment(node) && isFunction(node.initializer)) {
      found.push({ name: node.name.getText(), node: node.initializer });
    } else if (ts.isConstructorDeclaration(node) && node.parent.name) {
      found.push({ name: node.parent.name.getText(), node });
    }
  });
  return found;
}

function isFunction(node) {
  return (
    ts.isArrowFunction(node) ||
    ts.isFunctionExpression(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isConstructorDeclaration(node)
  );
}

/** An expression without what is said of its type. */
function bare(node) {
  let at = node;
  while (ts.isAsExpression(at) || ts.isNonNullExpression(at) || ts.isParenthesizedExpression(at)) at = at.expression;
  return at;
}

/** The last name of `a`, `a.b` or `this.a.b`. */
function nameOf(expression) {
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
}

function placeOf(node) {
  const file = node.getSourceFile();
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}
