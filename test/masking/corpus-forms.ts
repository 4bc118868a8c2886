import { random } from '../support/random.ts';
import {
  ALNUM,
  digits,
  from,
  HEX,
  one,
  TEMPLATES,
  withCheckDigit,
  word,
  type CorpusText,
  type Pick,
} from './corpus.ts';

/** A value, and what it stands in where that says what it is. */
type Planted = (pick: Pick) => { value: string; written?: string };

/** `count` texts that each hold one value in a form that descriptions promise and few texts have. */
export function plantedForms(count: number, seed: number): CorpusText[] {
  const pick = random(seed);
  return Array.from({ length: count }, (_, index) => {
    const [masker, make] = PLANTED[index % PLANTED.length]!;
    const { value, written = value } = make(pick);
    return { masker, value, text: one(pick, TEMPLATES).replace('{}', () => written) };
  });
}

/** `count` texts of code and prose that have the names of secrets, or the beginnings of values, and hold none. */
export function nearMisses(count: number, seed: number): CorpusText[] {
  const pick = random(seed);
  return Array.from({ length: count }, (_, index) => {
    const [masker, make] = NEAR_MISSES[index % NEAR_MISSES.length]!;
    const value = make(pick);
    return { masker, value, text: one(pick, TEMPLATES).replace('{}', () => value) };
  });
}

const TOPS = ['technology', 'museum', 'xn--fiqs8s', 'travelersinsurance', 'рф', '中国', 'укр', 'md', 'ai', 'cloud'];
const secretText = (pick: Pick): string => `${word(pick)}${digits(pick, 2)}${from(pick, ALNUM, 6)}${1 + pick(9)}x`;

/** A token with its beginning, some forms a service. */
const token =
  (begins: string, letters: string, count: number): Planted =>
  (pick) => ({ value: `${begins}${from(pick, letters, count - 1)}${letters.includes('7') ? '7' : letters[0]}` });

const named =
  (...forms: readonly ((value: string) => string)[]): Planted =>
  (pick) => {
    const value = secretText(pick);
    return { value, written: one(pick, forms)(value) };
  };

function cardOf(pick: Pick, sign: string): string {
  const number = withCheckDigit(`4${digits(pick, 14)}`);
  return number.replace(/^(....)(....)(....)(....)$/, `$1${sign}$2${sign}$3${sign}$4`);
}

const WORD_DASH = `${ALNUM}-_`;

const PLANTED: readonly [masker: string, make: Planted][] = [
  ['email', (pick) => ({ value: `${word(pick)}@${word(pick)}.${one(pick, TOPS)}` })],
  ['email', (pick) => ({ value: `${word(pick)}.${word(pick)}@${word(pick)}。${one(pick, ['com', 'jp', 'cn'])}` })],
  ['email', (pick) => ({ value: `${word(pick)}@münchen-${word(pick)}.example` })],
  ['card', (pick) => ({ value: cardOf(pick, '.') })],
  ['card', (pick) => ({ value: cardOf(pick, one(pick, ['\n', '\r\n'])) })],
  [
    'secret',
    named(
      (value) => `password=${value}`,
      (value) => `DB_PASSWORD=${value}`,
      (value) => `passwd: ${value}`,
    ),
  ],
  [
    'secret',
    named(
      (value) => `"password":"${value}"`,
      (value) => `"apiKey": "${value}"`,
      (value) => `'client_secret' => '${value}'`,
    ),
  ],
  [
    'secret',
    named(
      (value) => `api_key=${value}`,
      (value) => `API-KEY: ${value}`,
      (value) => `api key = ${value}`,
    ),
  ],
  [
    'secret',
    named(
      (value) => `X-Api-Key: ${value}`,
      (value) => `access_token=${value}`,
      (value) => `--api-key ${value}`,
    ),
  ],
  [
    'secret',
    (pick) => {
      const value = Buffer.from(`${word(pick)}:${secretText(pick)}`).toString('base64');
      return {
        value,
        written: one(pick, ['Authorization: Basic ', 'authorization: basic ', '"Authorization":"Basic ']) + value,
      };
    },
  ],
  ...(
    [
      ['sk-svcacct-', WORD_DASH, 74],
      ['gho_', ALNUM, 36],
      ['github_pat_', ALNUM, 82],
      ['glpat-', ALNUM, 20],
      ['xoxp-', `0123456789`, 40],
      ['ASIA', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16],
      ['AIza', WORD_DASH, 35],
      ['ya29.', WORD_DASH, 60],
      ['sk_live_', ALNUM, 24],
      ['rk_live_', ALNUM, 24],
      ['whsec_', ALNUM, 32],
      ['hf_', ALNUM, 34],
      ['npm_', ALNUM, 36],
      ['pypi-AgEIcHlwaS5vcmc', WORD_DASH, 120],
      ['SK', HEX, 32],
      ['dop_v1_', HEX, 64],
      ['dapi', HEX, 32],
      ['gsk_', ALNUM, 52],
      ['xai-', ALNUM, 80],
      ['pplx-', ALNUM, 48],
      ['r8_', ALNUM, 37],
      ['lin_api_', ALNUM, 40],
      ['ntn_', ALNUM, 46],
      ['shpat_', HEX, 32],
      ['vck_', ALNUM, 56],
    ] as const
  ).map(([begins, letters, count]): [string, Planted] => ['secret', token(begins, letters, count)]),
];

const NEAR_MISSES: readonly [masker: string, make: (pick: Pick) => string][] = [
  ['email', (pick) => `${word(pick)}@${1 + pick(4)}x.${one(pick, ['png', 'webp', 'jpg'])}`],
  ['email', (pick) => `${word(pick)}@${word(pick)}`],
  ['email', (pick) => `${word(pick)}@${word(pick)}。`],
  ['email', (pick) => `${word(pick)}@${pick(9)}.${pick(9)}`],
  ['card', (pick) => cardOf(pick, '.').replace(/.$/, (last) => String((Number(last) + 3) % 10))],
  ['card', (pick) => Array.from({ length: 6 }, () => `4${digits(pick, 3)}`).join('\n')],
  ['card', (pick) => `${digits(pick, 4)}.${digits(pick, 4)}.${digits(pick, 4)}`],
  ['secret', (pick) => `password: ${word(pick)}, and go on`],
  ['secret', (pick) => `const password = ${word(pick)}.${word(pick)};`],
  ['secret', (pick) => `password=${word(pick)}(${word(pick)})`],
  ['secret', (pick) => `login(${word(pick)}, password=${word(pick)})`],
  ['secret', (pick) => `apiKey: process.env.${word(pick).toUpperCase()}_KEY`],
  ['secret', (pick) => `api_key=$${word(pick).toUpperCase()}_KEY`],
  ['secret', (pick) => `api_key="your-${word(pick)}-key"`],
  ['secret', (pick) => `max_tokens: ${1 + pick(9)}${digits(pick, 3)}, token_type: ${word(pick)}`],
  ['secret', (pick) => `next_token=${from(pick, ALNUM, 20)}1`],
  ['secret', (pick) => `primary_key: ${word(pick)}_${digits(pick, 8)}`],
  ['secret', (pick) => `passwordHash: ${word(pick)}, password_length=${digits(pick, 2)}`],
  ['secret', (pick) => `Authorization: Basic ${word(pick)}`],
  ['secret', (pick) => `Authorization: ${word(pick)} is required`],
  ['secret', (pick) => `sk-${word(pick)}-${word(pick)}-${digits(pick, 4)}-${word(pick)}`],
  ['secret', (pick) => `npm_${word(pick)}_${word(pick)}_${word(pick)}_${digits(pick, 3)}`],
  ['secret', (pick) => `xai-${word(pick)}-${word(pick)}, pplx-${word(pick)}, hf_${word(pick)}`],
  ['secret', (pick) => `SK${from(pick, HEX, 20)}, AC${from(pick, HEX, 40)}`],
  ['secret', (pick) => `monkey=${from(pick, ALNUM, 16)}, keyboard: ${word(pick)}${digits(pick, 4)}`],
];
