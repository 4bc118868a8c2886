/**
 * ClickHouse's HTTP protocol, as far as `@clickhouse/client` speaks it here, in front of the engine of the package chdb.
 * Arguments: the folder in which chdb is installed, a data folder, a port and the password that callers must have, if any.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const [, , installedIn, path, port, password = ''] = process.argv;
const { Session } = createRequire(join(installedIn, 'package.json'))('chdb');
const session = new Session(path);
/** Names in the address that are no settings of the engine. */
const NO_SETTINGS = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'session_id',
  'wait_end_of_query',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
]);

/** One statement after the other, as far as they write. */
let writing = Promise.resolve();

async function run(query, settings) {
  if (/^\s*KILL/i.test(query)) return writing.then(() => '');
  const given = settings.map(([name, value]) => `${name} = '${value}'`).join(', ');
  const isRead = /^\s*SELECT/i.test(query);
  if (!isRead) {
    const done = writing.then(async () => {
      if (given !== '') await session.queryAsync(`SET ${given}`, { format: 'CSV' });
      await session.queryAsync(query, { format: 'CSV' });
      return '';
    });
    writing = done.catch(() => undefined);
    return done;
  }
  const [, select, format = 'JSONEachRow'] = /^(.*?)(?:\s*FORMAT\s+(\w+)\s*;?\s*)?$/is.exec(query);
  const answer = await session.queryAsync(given === '' ? select : `${select} SETTINGS ${given}`, { format });
  return answer.text();
}

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/ping') return void response.end('Ok.\n');
  if (password !== '' && request.headers['authorization'] !== `Basic ${btoa(`default:${password}`)}`) {
    response.statusCode = 403;
    return void response.end('Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)');
  }
  let body;
  try {
    body = await text(request);
  } catch {
    // The program that asked was killed before all of it came; a server does not end by that.
    return;
  }
  const query = searchParams.has('query') ? `${searchParams.get('query')}\n${body}` : body;
  const settings = [...searchParams].filter(([name]) => !NO_SETTINGS.has(name));
  try {
    const answer = await run(query, settings);
    response.setHeader('X-ClickHouse-Summary', '{}').end(answer);
  } catch (error) {
    response.statusCode = 500;
    response.end(`Code: 999. ${error.message}`);
  }
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
