import { delimiter } from 'node:path';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeProvider } from '../fake-provider/start-fake-provider.ts';
import { Api } from '../support/api.ts';
import { pathWithNpx } from '../support/npx.ts';
import { freePort, freePorts } from '../support/ports.ts';
import { COMPILE_CACHE, startSpandrel, tempDir } from '../support/spandrel.ts';
import { makeObjects } from './make-objects.ts';

/** Files that mistakes of the page send. */
const FILES = {
  'empty.csv': '',
  'semicolons.csv': 'input;expected_output\nCapital of France?;Paris\n',
  'answers.csv': 'input,answer\nCapital of France?,Paris\n',
  'unknown.csv': 'question,reply\nCapital of France?,Paris\n',
  'broken.jsonl': '{"input": "Capital of France?", "expected_output": "Paris"}\n{"input": \n',
  'config.yaml': 'prot: 4000\n',
};

/** The variables of a plain shell: those that `npm test` sets would lead npm elsewhere. */
const SHELL = {
  PATH: pathWithNpx(
    process.env['PATH']!.split(delimiter)
      .filter((folder) => !folder.includes('node_modules'))
      .join(delimiter),
  ),
  HOME: process.env['HOME']!,
};

/** The world of the page: a Spandrel at its ports, with the objects that its rows name. */
export interface FirstHour {
  /** Where requests are typed; it has the files. */
  folder: string;
  /** The shell of a request: `$TRACE` and the others. */
  variables: Record<string, string>;
  /** The shell of a command, whose default ports and data directory are those of the Spandrel that runs. */
  place: Record<string, string>;
  /** The shell of a command with ports that are free and a directory of its own. */
  otherPlace(): Promise<Record<string, string>>;
  /** What is typed, for here. */
  toHere(typed: string): string;
  /** What is answered, for the page. */
  toPage(answered: string): string;
  close(): Promise<void>;
}

/** Starts it. */
export async function beginFirstHour(): Promise<FirstHour> {
  const provider = await startFakeProvider();
  const spandrel = await startSpandrel({ env: { SPANDREL_OPENAI_BASE_URL: provider.url } });
  const closedPort = await freePort();
  const ids = await makeObjects(new Api(spandrel.apiUrl), spandrel.gatewayUrl, provider.url, closedPort);
  const folder = tempDir();
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), content);
  const ports = { 3000: new URL(spandrel.apiUrl).port, 3001: new URL(spandrel.gatewayUrl).port, 9: String(closedPort) };
  const places: [page: string, here: string][] = [
    ['/tmp/', `${folder}/`],
    ['./data', spandrel.dataDir],
    ...Object.entries(ports).map(([page, here]): [string, string] => [`:${page}`, `:${here}`]),
  ];
  const placeAt = (port: number | string, gatewayPort: number | string, dataDir: string): Record<string, string> => ({
    ...SHELL,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    SPANDREL_PORT: String(port),
    SPANDREL_GATEWAY_PORT: String(gatewayPort),
    SPANDREL_DATA_DIR: dataDir,
  });
  return {
    folder,
    variables: { ...SHELL, ...ids },
    place: placeAt(ports[3000], ports[3001], spandrel.dataDir),
    otherPlace: async () => {
      const [port, gatewayPort] = (await freePorts(2)) as [number, number];
      return placeAt(port, gatewayPort, tempDir());
    },
    toHere: (typed) => places.reduce((text, [page, here]) => replacePlace(text, page, here), typed),
    toPage: (answered) =>
      [...places, ...Object.entries(ids).map(([name, id]): [string, string] => [`$${name}`, id])].reduce(
        (text, [page, here]) => replacePlace(text, here, page),
        answered,
      ),
    close: async () => {
      await spandrel.stop();
      await provider.close();
    },
  };
}

/** A port is replaced as a whole number: `:9` is not in `:9000`. */
const replacePlace = (text: string, from: string, to: string): string =>
  /\d$/.test(from) ? text.replace(new RegExp(`${from}(?!\\d)`, 'g'), to) : text.replaceAll(from, to);
