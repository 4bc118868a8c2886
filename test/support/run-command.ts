import { jest } from '@jest/globals';

/**
 * Runs a command of the program within the tests, where what it says is the point and not that it is a program: a
 * process of its own takes a second to load.
 * @param args as on the command line, after the command's name.
 * @param env its variables, and no others of Spandrel's.
 * @returns what it wrote, to each stream and together, and its exit code.
 */
export async function runCommand(
  command: (args: readonly string[]) => Promise<unknown>,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; out: string; err: string; output: string }> {
  const written = { out: '', err: '', output: '' };
  const take = (to: 'out' | 'err') => (chunk: unknown) => {
    written[to] += String(chunk);
    written.output += String(chunk);
    return true;
  };
  const streams = [
    jest.spyOn(process.stdout, 'write').mockImplementation(take('out')),
    jest.spyOn(process.stderr, 'write').mockImplementation(take('err')),
  ];
  const before = { ...process.env };
  const codeBefore = process.exitCode;
  process.exitCode = undefined;
  Object.assign(process.env, env);
  try {
    await command(args);
    return { code: Number(process.exitCode ?? 0), ...written };
  } finally {
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    process.exitCode = codeBefore;
    for (const stream of streams) stream.mockRestore();
  }
}
