import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import type { Endpoint, Provider } from '@spandrel/plugin-api';
import { UNKNOWN_USAGE } from '@spandrel/plugin-api';
import { CallerKey, keyDigest } from '../access/caller-key.js';
import { KeySeal } from '../access/key-seal.js';
import type { CallFacts } from '../recording/call-facts.js';
import type { RecordedSpan } from '../recording/build-recording.js';
import { Secrets } from '../recording/secrets.js';
import { ProviderTable } from '../target/provider-table.js';
import { CallJournal } from './call-journal.js';
import type { Frame } from './journal-frames.js';
import { recoverCall } from './recover-call.js';
import { decodeSegment } from './segment-frames.js';
import { Segment } from './segment.js';
import { SharedJournal } from './shared-journal.js';
import { SpoolDirectory } from './spool-directory.js';

const SECRET = 'sk-very-secret-key';
const endpoint: Endpoint = {
  name: 'small',
  framing: 'ndjson',
  readRequest: (body) => ({
    model: (body as { model: string }).model,
    input: (body as { input: unknown }).input,
    streaming: true,
    parameters: {},
  }),
  readAnswer: () => {
    throw new Error('not whole');
  },
  readStream: () => {
    let text = '';
    let ended = false;
    return {
      push: ({ data }) => {
        if (data === '"end"') ended = true;
        else if (/^"[^"]*"$/.test(data)) text += JSON.parse(data) as string;
      },
      get started() {
        return text !== '';
      },
      get ended() {
        return ended;
      },
      answer: () => ({ model: null, text, finishReason: null, toolCalls: [], usage: UNKNOWN_USAGE, error: null }),
    };
  },
};
const provider = {
  defaultBaseUrl: null,
  hosts: [],
  recognises: () => 'no',
  endpoint: () => endpoint,
  errorBody: () => ({}),
  errorMessage: () => undefined,
} as unknown as Provider;
const logger = createLogger('silent', 'test');
const providers = new ProviderTable([{ name: 'acme', extension: provider }], logger);
const facts = (mode: 'full' | 'off' = 'full'): CallFacts => ({
  id: 'call',
  traceId: 'trace',
  parentId: null,
  trace: { name: `mine ${SECRET}` },
  provider: 'acme',
  wire: { provider: 'acme', method: 'POST', path: '/x' },
  startedAt: 1_790_000_000_000,
  startedTick: 1_000,
  capture: { mode },
  requestEncoding: null,
});

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'spandrel-journal-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const fails = (error: unknown): never => {
  throw error;
};

/** What the journal holds of a call. */
async function written(tell: (journal: SharedJournal) => void): Promise<Buffer> {
  const journal = new SharedJournal(
    folder,
    'never',
    { onJournalError: fails, onSyncError: fails, quarantine: fails },
    [],
  );
  tell(journal);
  await journal.close();
  const [file] = fs.readdirSync(folder).map((name) => path.join(folder, name));
  segment = Segment.ofFile(file!)!;
  const bytes = fs.readFileSync(file!);
  fs.rmSync(file!);
  return bytes;
}
let segment: Segment;

const write = (mode: 'full' | 'off' = 'full', status = 200, more: Partial<CallFacts> = {}): Promise<Buffer> =>
  written((shared) => {
    const journal = new CallJournal(
      shared,
      { ...facts(mode), ...more },
      new Secrets([SECRET]),
      mode === 'full' ? 1_000_000 : 0,
    );
    journal.requestChunk(Buffer.from('{"model":"m",'));
    journal.requestChunk(Buffer.from(`"input":"the question ${SECRET}"}`));
    journal.answerHead({
      status,
      statusMessage: 'X',
      contentType: 'application/x-ndjson',
      contentEncoding: null,
      contentLength: null,
    });
    journal.answerChunk(Buffer.from('"one "\n"two'), 1_050);
    journal.answerChunk(Buffer.from(` ${SECRET}"\n"end"\n`), 1_100);
    journal.end({ kind: 'answered' }, 1_200);
  });
const framesOf = (bytes: Buffer): Frame[] => decodeSegment(bytes, segment.marker).frames;
const recover = async (bytes: Buffer): Promise<RecordedSpan | null> => {
  const item = await recoverCall(framesOf(bytes), providers, 1_000_000);
  return typeof item === 'string' ? null : (JSON.parse(item.span) as RecordedSpan);
};

describe('the journal of a call', () => {
  it('tells whose it is, torn off at any byte, and has no key of theirs in the clear', async () => {
    const key = 'spn_sk_canary-0123456789';
    const caller = new CallerKey(keyDigest(key), key);
    const seal = new KeySeal('spn_sk_own');
    const bytes = await write('full', 200, { caller: seal.seal(caller) });
    expect(bytes.toString('latin1')).not.toContain('canary');
    const whole = new Set<string | null>();
    for (let length = 0; length <= bytes.length; length += 11) {
      const frames = framesOf(bytes.subarray(0, length));
      const item = await recoverCall(frames, providers, 1_000_000, seal);
      if (typeof item !== 'string') whole.add(item.caller!.authorization);
      const elsewhere = await recoverCall(frames, providers, 1_000_000, null);
      if (typeof elsewhere !== 'string')
        expect(elsewhere.caller).toMatchObject({ digest: caller.digest, authorization: null });
    }
    expect([...whole]).toEqual([`Bearer ${key}`]);
  });

  it('gives the recording back, torn off at any byte', async () => {
    const bytes = await write();
    const seen = new Set<string>();
    for (let length = 0; length <= bytes.length; length++) {
      const span = await recover(bytes.subarray(0, length));
      if (span === null) {
        seen.add('nothing');
        continue;
      }
      expect(span).toMatchObject({ id: 'call', trace_id: 'trace' });
      const output = span.output as { text: string } | null;
      seen.add(
        `${JSON.stringify(span.status)} ${span.name} ${output?.text.slice(0, 7) ?? '-'} ${Date.parse(span.ended_at!) - Date.parse(span.started_at)}`,
      );
    }
    const stopped = '{"failed":{"error":"gateway stopped"}}';
    expect([...seen]).toEqual([
      'nothing',
      `${stopped} small - 0`,
      `${stopped} m - 0`,
      `${stopped} m one  50`,
      '"completed" m one two 100',
      '"completed" m one two 200',
    ]);
  });

  it('survives damage anywhere', async () => {
    const bytes = await write();
    for (let at = 0; at < bytes.length; at += 7) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 0x55;
      const span = await recover(damaged);
      if (span) expect(span.id).toBe('call');
    }
  });

  it('holds no credentials, and no content where none may be kept', async () => {
    expect((await write()).toString('latin1')).not.toContain(SECRET);
    const off = await write('off');
    expect(off.toString('latin1')).not.toMatch(/question|one/);
    expect(await recover(off)).toMatchObject({ status: 'completed' });
    const refused = await write('full', 401);
    expect(refused.toString('latin1')).not.toContain('one');
    expect(await recover(refused)).toMatchObject({ status: { failed: { error: 'HTTP 401: X' } } });
  });

  it('prefers what was finished', async () => {
    const bytes = await written((journal) => {
      const call = new CallJournal(journal, facts(), new Secrets([]), 100);
      call.recording({ trace: '{"id":"trace"}', span: '{"id":"call","name":"done"}' }, true);
    });
    expect(await recover(bytes)).toEqual({ id: 'call', name: 'done' });
  });
});

const OPTIONS = { contentMax: 1_000, sync: 'never' as const };
const observer = { journalError: () => undefined, quarantined: () => undefined, quarantineRemoved: () => undefined };

describe('the spool directory', () => {
  it('goes on in memory when it cannot be written, and says so once', async () => {
    let errors = 0;
    const directory = await SpoolDirectory.open(folder, OPTIONS, logger, { ...observer, journalError: () => errors++ });
    fs.rmSync(folder, { recursive: true });
    const journal = directory.keep(facts(), new Secrets([]), true);
    journal.requestChunk(Buffer.from('x'));
    let passed = 0;
    journal.whenKept(() => passed++);
    await directory.quiet();
    journal.end({ kind: 'answered' }, 1);
    journal.whenKept(() => passed++);
    await directory.quiet();
    expect([passed, errors]).toEqual([2, 1]);
    await directory.close();
  });

  it('cannot be opened twice, and again when it was let go', async () => {
    const first = await SpoolDirectory.open(folder, OPTIONS, logger, observer);
    await expect(SpoolDirectory.open(folder, OPTIONS, logger, observer)).rejects.toThrow(/in use by another gateway/);
    await first.close();
    await (await SpoolDirectory.open(folder, OPTIONS, logger, observer)).close();
  });

  it('may have a very long path', async () => {
    const deep = path.join(folder, 'x'.repeat(100), 'y'.repeat(100));
    const first = await SpoolDirectory.open(deep, OPTIONS, logger, observer);
    await expect(SpoolDirectory.open(deep, OPTIONS, logger, observer)).rejects.toThrow(/in use/);
    await first.close();
  });

  it('that is a file is a fault of the settings', async () => {
    const file = path.join(folder, 'file');
    fs.writeFileSync(file, '');
    await expect(SpoolDirectory.open(file, OPTIONS, logger, observer)).rejects.toThrow(/gateway.spool_dir/);
  });
});
