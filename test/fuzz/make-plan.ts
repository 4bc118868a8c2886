import { random } from '../support/random.ts';
import { hostileJson, mutated, oddHeaders, WELL_FORMED_BODIES } from './hostile-bodies.ts';
import { ADMITTED, type Expected, type Plan, type Step } from './plan.ts';
import { GOOD_SCRIPTS, HOSTILE_SCRIPTS, UPGRADE_SCRIPTS } from './scripted-upstream.ts';

type Port = Plan['port'];
type Draft = Pick<Plan, 'steps' | 'expected' | 'recorded'>;

/** Draws what a plan is made of. */
export class Draw {
  readonly below: (n: number) => number;
  constructor(seed: number) {
    this.below = random(seed);
  }
  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
  chance(part: number): boolean {
    return this.below(1_000) < part * 1_000;
  }
  token(): string {
    const hex = (): string => this.below(0x1_00_00).toString(16).padStart(4, '0');
    return `fz${hex()}${hex()}${hex()}${hex()}${hex()}`;
  }
}

/** A request as text, with what is to come back. */
interface Request {
  text: string;
  expected: Expected;
  recorded?: string;
}

interface Parts {
  method?: string;
  path: string;
  lines?: string;
  body?: string;
  token: string;
  need?: Expected['need'];
}

const request = ({ method = 'GET', path, lines = '', body, token, need = 'own' }: Parts): Request => ({
  text: `${method} ${path} HTTP/1.1\r\n${ADMITTED}${lines}${body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body, 'latin1')}\r\n`}\r\n${body ?? ''}`,
  expected: { method, token, need },
});

const JSON_TYPE = 'Content-Type: application/json\r\n';

/** A request without a fault, whose answer has its token. */
function validRequest(draw: Draw, port: Port, lines = ''): Request {
  const token = draw.token();
  if (port === 'gateway') return chat(draw, draw.of(GOOD_SCRIPTS), lines);
  return draw.of<() => Request>([
    // A query parameter that is not known is named in the refusal.
    () => request({ path: `/api/traces?${token}=1`, lines, token }),
    () => request({ path: `/api/spans?limit=1&${token}=1`, lines, token }),
    () => request({ path: `/api/traces/${token}`, lines, token, need: 'some' }),
    () => request({ method: 'DELETE', path: `/api/datasets/${token}?${token}=1`, lines, token }),
    () => {
      const body = JSON.stringify({ id: token, name: `fuzz ${token}`, metadata: { a: [1, 2.5, null] } });
      return request({ method: 'POST', path: '/api/traces', lines: JSON_TYPE + lines, body, token });
    },
    () => {
      // A member that is not known is named in a header of the answer.
      const body = JSON.stringify({ spans: [{ id: token, trace_id: token, name: 'n' }], [token]: 1 });
      return request({ method: 'POST', path: '/api/ingest', lines: JSON_TYPE + lines, body, token });
    },
    () => request({ path: `/${token}`, lines, token, need: 'some' }),
    () => request({ method: 'HEAD', path: `/api/traces/${token}`, lines, token, need: 'some' }),
  ])();
}

/** A chat completion through the gateway. @param script what the upstream does. */
function chat(draw: Draw, script: string, lines = '', text = 'Hello'): Request {
  const token = draw.token();
  const isGood = GOOD_SCRIPTS.includes(script);
  const body = JSON.stringify({
    model: 'm',
    stream: script === 'stream' || script === 'hostileStream',
    messages: [{ role: 'user', content: `${text} ${token}` }],
  });
  const own = `X-Fuzz: ${script};${draw.below(1_000_000)}\r\nX-Token: ${token}\r\nX-Spandrel-Trace-Id: ${token}\r\n`;
  // The base of OpenAI is the well-behaved upstream, that of Anthropic the other.
  const path = isGood ? '/v1/chat/completions' : draw.of(['/v1/messages', '/v1/messages?beta=1']);
  const made = request({
    method: 'POST',
    path,
    lines: `${JSON_TYPE}${own}${lines}`,
    body,
    token,
    need: isGood ? 'own' : 'some',
  });
  return isGood ? { ...made, recorded: token } : made;
}

/** The plan of a number in a run: always the same one, whatever became of the others. */
export function makePlan(seed: number, index: number): Plan {
  const draw = new Draw((Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) | 0);
  const port: Port = draw.of(['api', 'gateway']);
  let ticket = draw.below(TICKETS);
  const [kind, , make] = KINDS.find(([, tickets]) => (ticket -= tickets) < 0)!;
  const draft = make(draw, port);
  return { index, kind, port, ...spoiled(draw, split(draw, draft)) };
}

const one = ({ text, expected, recorded }: Request, ...after: Step[]): Draft => ({
  steps: [{ write: text }, ...after],
  expected: [expected],
  ...(recorded !== undefined && { recorded }),
});

/** Nothing of it need be answered. */
const loosely = (draft: Draft, need: Expected['need'] = 'some'): Draft => ({
  steps: draft.steps,
  expected: draft.expected.map((expected) => ({ ...expected, need })),
});

/** Bytes arrive in whatever pieces. */
function split(draw: Draw, draft: Draft): Draft {
  if (!draw.chance(0.3)) return draft;
  const steps = draft.steps.flatMap((step): Step[] => {
    if (!('write' in step) || step.write.length > 50_000) return [step];
    const pieces: Step[] = [];
    // A placeholder is never torn.
    const parts = step.write.split(ADMITTED);
    for (const [index, part] of parts.entries()) {
      for (let at = 0; at < part.length;) {
        const size = 1 + draw.below(draw.chance(0.2) ? 3 : 200);
        pieces.push({ write: part.slice(at, at + size) });
        if (pieces.length < 60 && draw.chance(0.3)) pieces.push({ waitMs: draw.below(8) });
        at += size;
      }
      if (index < parts.length - 1) pieces.push({ write: ADMITTED });
    }
    return pieces;
  });
  return { ...draft, steps };
}

/** The connection breaks at whatever moment: while something is sent, or while an answer is on its way. */
function spoiled(draw: Draw, draft: Draft): Draft {
  if (!draw.chance(0.22)) return draft;
  const steps = draft.steps.slice(0, 1 + draw.below(draft.steps.length));
  const last = steps.at(-1)!;
  if ('write' in last && last.write !== ADMITTED && draw.chance(0.5)) {
    steps[steps.length - 1] = { write: last.write.slice(0, draw.below(last.write.length)).replace(/\{[a-z]*$/, '') };
  }
  if (draw.chance(0.7)) steps.push({ waitMs: draw.below(draw.chance(0.3) ? 400 : 30) });
  steps.push({ end: draw.chance(0.8) ? 'rst' : 'leave' });
  return loosely({ ...draft, steps }, 'none');
}

const inChunks = (draw: Draw, body: string, last = '0\r\n\r\n'): string => {
  let out = '';
  for (let at = 0; at < body.length;) {
    const piece = body.slice(at, at + 1 + draw.below(60));
    const size = piece.length.toString(16);
    out += `${draw.chance(0.2) ? size.toUpperCase().padStart(4, '0') : size}${draw.chance(0.1) ? ';x=y' : ''}\r\n${piece}\r\n`;
    at += piece.length;
  }
  return out + last;
};

/** A request with its body in chunks. */
function chunked(draw: Draw, { text, ...rest }: Request, coding = 'chunked', last?: string): Request {
  const at = text.indexOf('\r\n\r\n');
  const head = text.slice(0, at).replace(/\r\nContent-Length: \d+/, '');
  return {
    ...rest,
    text: `${head}\r\nTransfer-Encoding: ${coding}\r\n\r\n${inChunks(draw, text.slice(at + 4), last)}`,
  };
}

/** A valid request that has a body. */
function posted(draw: Draw, port: Port, lines = ''): Request {
  if (port === 'gateway') return chat(draw, draw.of(GOOD_SCRIPTS), lines);
  const token = draw.token();
  const body = JSON.stringify({ id: token, name: 'n' });
  return request({ method: 'POST', path: '/api/traces', lines: JSON_TYPE + lines, body, token });
}

const GARBAGE = (draw: Draw): string =>
  draw.of([
    'garbage\r\n\r\n',
    '\0\0\0\0\0\0\0\0',
    'GET /x HTTP/9.9\r\n\r\n',
    'foo/2\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nX y: z\r\n\r\n',
    'POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    '\xff'.repeat(300),
    '\r\n\r\n\r\n',
    `${'x'.repeat(90_000)}`,
    'get / http/1.1\r\n\r\n',
  ]);

const UPGRADE_NAMES = ['h2c', 'websocket', 'TLS/1.0', 'foo/2', 'websocket, h2c', 'h2c, foo', 'WebSocket', ''];
const WEBSOCKET =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

function websocket(draw: Draw, lines = ''): Request {
  const token = draw.token();
  const script = draw.of(UPGRADE_SCRIPTS);
  const own = `X-Fuzz: ${script};${draw.below(1_000_000)}\r\nX-Token: ${token}\r\n`;
  return request({ path: '/v1/realtime?model=m', lines: `${own}${WEBSOCKET}${lines}`, token, need: 'some' });
}

/** Kinds of plans with how often each comes. */
const KINDS: readonly (readonly [kind: string, tickets: number, make: (draw: Draw, port: Port) => Draft])[] = [
  ['valid', 14, (draw, port) => one(validRequest(draw, port))],
  ['valid in chunks', 5, (draw, port) => one(chunked(draw, posted(draw, port)))],
  ['trailers', 1, (draw, port) => one(chunked(draw, posted(draw, port), 'chunked', '0\r\nX-Trailer: y\r\n\r\n'))],
  [
    'pipelined',
    9,
    (draw, port) => {
      const requests = Array.from({ length: 2 + draw.below(7) }, () => validRequest(draw, port));
      return {
        steps: [{ write: requests.map(({ text }) => text).join('') }],
        expected: requests.map((r) => r.expected),
      };
    },
  ],
  [
    'one after the other',
    5,
    (draw, port) => {
      const requests = Array.from({ length: 2 + draw.below(5) }, () => validRequest(draw, port));
      return {
        steps: requests.flatMap(({ text }, index): Step[] => [{ write: text }, { answers: index + 1 }]),
        expected: requests.map((r) => r.expected),
      };
    },
  ],
  [
    'pipelined behind what is cut',
    6,
    (draw) => {
      // What follows a broken answer need not be answered, but the connection must end.
      const first = chat(draw, draw.of(HOSTILE_SCRIPTS.filter((name) => name !== 'endless')));
      const others = Array.from({ length: 1 + draw.below(4) }, () =>
        draw.chance(0.3) ? chat(draw, draw.of(['cut', 'reset', 'whole'])) : validRequest(draw, 'gateway'),
      );
      const all = [first, ...others];
      return loosely({
        steps: [{ write: all.map(({ text }) => text).join('') }],
        expected: all.map((r) => r.expected),
      });
    },
  ],
  ['hostile upstream', 10, (draw) => one(chat(draw, draw.of(HOSTILE_SCRIPTS.filter((name) => name !== 'endless'))))],
  [
    'endless answer',
    2,
    (draw) => loosely(one(chat(draw, 'endless'), { waitMs: 200 + draw.below(1_500) }, { end: 'rst' }), 'none'),
  ],
  [
    'half closed',
    4,
    (draw, port) => {
      const made = validRequest(draw, port);
      // A client that closes its half may count as one that has left.
      return loosely(one(made, { end: 'fin' }));
    },
  ],
  [
    'garbage behind',
    6,
    (draw, port) => {
      const requests = Array.from({ length: 1 + draw.below(3) }, () => validRequest(draw, port));
      const apart: Step[] = draw.chance(0.3) ? [{ waitMs: draw.below(20) }] : [];
      return {
        steps: [{ write: requests.map(({ text }) => text).join('') }, ...apart, { write: GARBAGE(draw) }],
        expected: requests.map((r) => r.expected),
      };
    },
  ],
  [
    'garbage',
    3,
    (draw) => {
      const expected: Expected = { method: 'GET', token: draw.token(), need: 'none' };
      const bytes = Array.from({ length: draw.below(400) }, () => String.fromCharCode(draw.below(256))).join('');
      return {
        steps: [{ write: draw.chance(0.5) ? GARBAGE(draw) : bytes }, { waitMs: 50 }, { end: 'fin' }],
        expected: [expected],
      };
    },
  ],
  [
    'CONNECT',
    5,
    (draw) => {
      const token = draw.token();
      const target = draw.of(['a:1', '127.0.0.1:22', '[::1]:80', '/', `${token}:1`, '*']);
      const text = `CONNECT ${target} HTTP/1.1\r\n${draw.chance(0.5) ? ADMITTED : 'Host: localhost\r\n'}${draw.chance(0.3) ? 'Content-Length: 3\r\n' : ''}\r\n`;
      const tail = draw.chance(0.5) ? GARBAGE(draw) : '';
      const end: Step = { end: draw.of(['rst', 'fin', 'leave'] as const) };
      return {
        steps: [{ write: text + tail }, ...(draw.chance(0.5) ? [{ waitMs: draw.below(30) }] : []), end],
        expected: [{ method: 'CONNECT', token, need: 'none' }],
      };
    },
  ],
  [
    'upgrade that is none',
    8,
    (draw, port) => {
      const lines = `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${draw.of(UPGRADE_NAMES.filter((name) => !/^websocket$/i.test(name)))}\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n`;
      const first = draw.chance(0.5) ? validRequest(draw, port, lines) : posted(draw, port, lines);
      const followers = Array.from({ length: draw.below(4) }, () => validRequest(draw, port));
      const all = [first, ...followers];
      return {
        steps: [{ write: all.map(({ text }) => text).join('') }],
        expected: [first.expected, ...followers.map((r) => ({ ...r.expected, need: 'some' as const }))],
      };
    },
  ],
  [
    'websocket',
    8,
    (draw, port) => {
      const made = websocket(draw);
      const steps: Step[] = [{ write: made.text }, { waitMs: draw.below(60) }];
      if (draw.chance(0.6)) steps.push({ write: '\x81\x85\x00\x00\x00\x00hello'.repeat(1 + draw.below(100)) });
      steps.push({ waitMs: draw.below(100) }, { end: draw.of(['rst', 'rst', 'fin', 'leave'] as const) });
      const late: Step[] = draw.chance(0.5) ? [{ waitMs: 100 }, { end: 'leave' }] : [];
      return loosely({ steps: [...steps, ...late], expected: [made.expected] }, port === 'gateway' ? 'none' : 'some');
    },
  ],
  [
    'websocket with a body or followers',
    6,
    (draw, port) => {
      const made = websocket(draw, draw.of(['Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n', '']));
      const body = draw.of(['abc', '3\r\nabc\r\n0\r\n\r\n', '', '3\r\nab', 'zz\r\n']);
      const before = draw.chance(0.4) ? [validRequest(draw, port)] : [];
      const behind = Array.from({ length: draw.below(3) }, () => validRequest(draw, port));
      const all = [...before, { ...made, text: made.text + body }, ...behind];
      return loosely(
        {
          steps: [
            { write: all.map(({ text }) => text).join('') },
            { waitMs: draw.below(200) },
            { end: draw.of(['rst', 'fin'] as const) },
            { waitMs: 200 },
            { end: 'leave' },
          ],
          expected: all.map((r) => r.expected),
        },
        'none',
      );
    },
  ],
  [
    'Transfer-Encoding lists',
    4,
    (draw, port) => {
      const coding = draw.of([
        'gzip, chunked',
        'chunked, chunked',
        'identity',
        'chunked, identity',
        'deflate',
        'CHUNKED',
        ' chunked ',
        'gzip,deflate,chunked',
        'chunked\r\nTransfer-Encoding: gzip',
        'chunked;q=1',
        'xchunked',
        'chunked\r\nContent-Length: 7',
      ]);
      return loosely(one(chunked(draw, posted(draw, port), coding), { end: 'fin' }));
    },
  ],
  [
    'Expect',
    4,
    (draw, port) => {
      const expect = draw.of(['100-continue', '100-Continue', 'nonsense', '100-continue, x']);
      const made = posted(draw, port, `Expect: ${expect}\r\n`);
      const at = made.text.indexOf('\r\n\r\n') + 4;
      const draft: Draft = {
        steps: [{ write: made.text.slice(0, at) }, { waitMs: draw.below(150) }, { write: made.text.slice(at) }],
        expected: [made.expected],
      };
      return /^100-continue$/i.test(expect) ? draft : loosely(draft);
    },
  ],
  [
    'huge or odd headers',
    4,
    (draw, port) => {
      const made = validRequest(draw, port, oddHeaders(draw));
      return loosely(one(made, { end: 'fin' }));
    },
  ],
  [
    'hostile body',
    7,
    (draw, port) => {
      const token = draw.token();
      const body = hostileJson(draw);
      if (port === 'gateway') {
        const own = `X-Fuzz: ${draw.of(GOOD_SCRIPTS)};${draw.below(1_000)}\r\nX-Token: ${token}\r\n`;
        const path = draw.of(['/v1/chat/completions', '/v1/embeddings', '/v1/responses', '/v1/completions']);
        return one(request({ method: 'POST', path, lines: JSON_TYPE + own, body, token, need: 'some' }));
      }
      const path = draw.of([
        '/api/traces',
        '/api/spans',
        '/api/ingest',
        '/v1/traces',
        '/api/datasets',
        '/api/previews',
        '/api/scores',
        '/api/score-definitions',
        '/api/scoring-rules',
        '/api/alerts',
        '/api/comments',
        '/api/boards',
        '/api/views',
        '/api/analytics',
        '/api/analytics/query',
        '/api/replays',
        '/api/try',
        '/api/search',
        '/api/import/json',
        '/api/import/bundle',
        '/mcp',
      ]);
      return one(request({ method: 'POST', path, lines: JSON_TYPE, body, token, need: 'some' }));
    },
  ],
  [
    'mutated body',
    8,
    (draw, port) => {
      const token = draw.token();
      const { path, type, body } = draw.of(WELL_FORMED_BODIES)(token);
      const times = draw.below(4);
      const changed = mutated(draw, body, times);
      const lines = `Content-Type: ${type}\r\n${port === 'gateway' ? `X-Fuzz: whole;1\r\nX-Token: ${token}\r\n` : ''}`;
      const made = request({ method: 'POST', path, lines, body: changed, token, need: 'some' });
      return one(draw.chance(0.3) ? chunked(draw, made) : made);
    },
  ],
  [
    'a body that does not come',
    3,
    (draw, port) => {
      const made = posted(draw, port);
      const text = made.text.replace(
        /Content-Length: \d+/,
        `Content-Length: ${draw.of([1_000, 99_999_999_999, 200_000_000])}`,
      );
      return loosely(
        one({ ...made, text }, { waitMs: draw.below(400) }, { end: draw.of(['rst', 'leave'] as const) }),
        'none',
      );
    },
  ],
  [
    'many at once that leave',
    2,
    (draw, port) => {
      const requests = Array.from({ length: 20 + draw.below(60) }, () => validRequest(draw, port));
      return loosely(
        {
          steps: [{ write: requests.map(({ text }) => text).join('') }, { waitMs: draw.below(50) }, { end: 'rst' }],
          expected: requests.map((r) => r.expected),
        },
        'none',
      );
    },
  ],
];

const TICKETS = KINDS.reduce((sum, [, tickets]) => sum + tickets, 0);
