import { createInterface } from 'node:readline';
import { addServerOptions, type ClientProgram } from '../client/client-command.js';
import { readServer, type ClientOptions, type Server } from '../client/server.js';
import { write, type CommandIo } from '../client/command-io.js';
import { McpBridge } from './mcp-bridge.js';

/** Adds `spandrel mcp` (docs/mcp.md). */
export function addMcp({ program, io }: ClientProgram, description: string): void {
  addServerOptions(program.command('mcp').description(description)).action((options: ClientOptions) =>
    passMessages(readServer(options, io.env), io),
  );
}

/** Reads one message of JSON-RPC a line, and writes one answer a line. Ends when its input does, with all answered. */
async function passMessages({ url, key }: Server, { stdin, stdout, stderr, signal }: CommandIo): Promise<void> {
  const report = (fault: string): void => void stderr.write(`spandrel mcp: ${fault}\n`);
  const bridge = new McpBridge({ url, key, report });
  const underWay = new Set<Promise<void>>();
  for await (const line of createInterface({ input: stdin, crlfDelay: Infinity, signal })) {
    if (line.trim() === '') continue;
    const passed = bridge.pass(line).then((answer) => {
      if (answer !== undefined && !signal.aborted) return write(stdout, `${answer}\n`, signal);
    });
    underWay.add(passed);
    passed.then(
      () => underWay.delete(passed),
      // Nobody reads any more: the signal ends the command.
      () => underWay.delete(passed),
    );
  }
  await Promise.all(underWay);
}
