/**
 * Claude Code, asked twice: once it runs a tool and may report all contents, once its provider refuses and it may report none.
 * Wants `npm install @anthropic-ai/claude-code` in the folder it is run from.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const home = mkdtempSync(resolve('home-'));
const common = {
  PATH: process.env.PATH,
  HOME: home,
  ANTHROPIC_BASE_URL: process.env.OPENAI_BASE_URL.replace(/\/v1$/, ''),
  ANTHROPIC_API_KEY: 'sk-ant-any',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_ENABLE_TELEMETRY: '1',
  CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
  CLAUDE_CODE_MAX_RETRIES: '0',
  OTEL_TRACES_EXPORTER: 'otlp',
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('OTEL_'))),
};
const contents = { OTEL_LOG_USER_PROMPTS: '1', OTEL_LOG_TOOL_DETAILS: '1', OTEL_LOG_TOOL_CONTENT: '1' };

/** Runs it in an empty folder; what it says is shown only when it fails unexpectedly. */
function ask(env, expected) {
  const args = ['-p', 'When is high tide?', '--model', 'claude-sonnet-4-5', '--allowedTools', 'Bash'];
  const child = spawn(resolve('node_modules/.bin/claude'), args, { cwd: home, env: { ...common, ...env } });
  child.stdin.end();
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  return new Promise((done, fail) =>
    child.once('close', (code) => (code === expected ? done() : fail(new Error(`ended with ${code}: ${said}`)))),
  );
}

await ask({ ...contents, ANTHROPIC_CUSTOM_HEADERS: 'x-fake: tools+cached+times:1' }, 0);
await ask({ ANTHROPIC_CUSTOM_HEADERS: 'x-fake: error-400' }, 1);
rmSync(join(home), { recursive: true });
