import { addAbortSignal } from 'node:stream';
import { Permits } from '@spandrel/kernel/launch';
import { jsonlRows } from '@spandrel/uploads';
import { addServerOptions, type ClientProgram } from '../client/client-command.js';
import { readServer, type ClientOptions, type Server } from '../client/server.js';
import { write, type CommandIo } from '../client/command-io.js';
import { McpBridge, MESSAGE_BYTES_MAX } from './mcp-bridge.js';

/** Adds `spandrel mcp` (docs/mcp.md). */
export function addMcp({ program, io }: ClientProgram, description: string): void {
  addServerOptions(program.command('mcp').description(description)).action((options: ClientOptions) =>
    passMessages(readServer(options, io.env), io),
  );
}

/** Messages that are read and not answered; what the client writes beyond them stays in its pipe. */
const UNDER_WAY_MAX = 100;

/** Reads one message of JSON-RPC a line, and writes one answer a line. Ends when its input does, with all answered. */
async function passMessages({ url, key }: Server, { stdin, stdout, stderr, signal }: CommandIo): Promise<void> {
  const report = (fault: string): void => void stderr.write(`spandrel mcp: ${fault}\n`);
  const bridge = new McpBridge({ url, key, report });
  const underWay = new Set<Promise<void>>();
  const room = new Permits(UNDER_WAY_MAX);
  for await (const rows of jsonlRows(addAbortSignal(signal, stdin.setEncoding('utf8')), MESSAGE_BYTES_MAX)) {
    for (const row of rows) {
      await room.enter();
      const passed = bridge.pass('json' in row ? row.json : undefined).then((answer) => {
        if (answer !== undefined && !signal.aborted) return write(stdout, `${answer}\n`, signal);
      });
      underWay.add(passed);
      const end = (): void => {
        underWay.delete(passed);
        room.leave();
      };
      // Nobody reads any more where it fails: the signal ends the command.
      passed.then(end, end);
    }
  }
  await Promise.all(underWay);
}
