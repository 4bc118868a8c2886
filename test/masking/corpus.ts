import { random } from '../support/random.ts';

/** A text with what must be found in it; none for a text that only looks as if it held something. */
export interface CorpusText {
  masker: string;
  text: string;
  value: string;
}

export type Pick = (n: number) => number;

const MASKERS = ['email', 'phone', 'card', 'iban', 'ip', 'secret'] as const;

/** Texts as models and applications write them; `{}` is where a value stands. */
export const TEMPLATES = [
  'Please send it to {} before Friday.',
  'My details: {}. Can you change the booking for 4 people on 12.05.2026?',
  '{"role":"user","content":"contact {} about order 48213"}',
  '2026-11-23T03:01:21.123Z WARN [worker-7] request rejected for {} after 12.3ms status=403',
  '| name | value |\n| --- | --- |\n| contact | {} |\n| total | 1,204.50 |',
  'Ich erreiche sie unter {}, danke!',
  '请联系{}谢谢',
  'const contact = "{}"; // v2.1.0',
  '({})',
  '<p>Reach us: <b>{}</b></p>',
  'a,b,{},d\n1,2,3,4',
  "It said: '{}'. Then it stopped.",
];

/** `count` texts that each hold one value, by turns of every kind. */
export function plantedTexts(count: number, seed: number): CorpusText[] {
  const pick = random(seed);
  return Array.from({ length: count }, (_, index) => {
    const masker = MASKERS[index % MASKERS.length]!;
    const value = VALUES[masker](pick);
    return { masker, value, text: TEMPLATES[pick(TEMPLATES.length)]!.replace('{}', () => value) };
  });
}

/** `count` texts that hold nothing to be masked, but something that looks like it. */
export function lookAlikes(count: number, seed: number): CorpusText[] {
  const pick = random(seed);
  return Array.from({ length: count }, (_, index) => {
    const masker = MASKERS[index % MASKERS.length]!;
    const makers = LOOK_ALIKES[masker];
    const value = makers[pick(makers.length)]!(pick);
    return { masker, value, text: TEMPLATES[pick(TEMPLATES.length)]!.replace('{}', () => value) };
  });
}

export const digits = (pick: Pick, count: number): string => Array.from({ length: count }, () => pick(10)).join('');
export const from = (pick: Pick, letters: string, count: number): string =>
  Array.from({ length: count }, () => letters[pick(letters.length)]).join('');
export const one = <T>(pick: Pick, list: readonly T[]): T => list[pick(list.length)]!;

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
export const ALNUM = `${LOWER}ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789`;
export const HEX = '0123456789abcdef';
export const word = (pick: Pick): string => from(pick, LOWER, 3 + pick(7));

/** The last digit that makes a number right by Luhn, found by trying. */
export function withCheckDigit(number: string, wrong = false): string {
  const right = [...'0123456789'].find((last) => luhnSum(number + last) % 10 === 0)!;
  return number + (wrong ? String((Number(right) + 3) % 10) : right);
}

function luhnSum(number: string): number {
  return [...number].toReversed().reduce((sum, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
    return sum + Math.floor(value / 10) + (value % 10);
  }, 0);
}

const CARDS: readonly [begins: string, length: number][] = [
  ['4', 16],
  ['51', 16],
  ['55', 16],
  ['2221', 16],
  ['34', 15],
  ['37', 15],
  ['6011', 16],
  ['65', 16],
  ['3530', 16],
];

function card(pick: Pick, wrong = false): string {
  const [begins, length] = one(pick, CARDS);
  const number = withCheckDigit(begins + digits(pick, length - begins.length - 1), wrong);
  const separator = one(pick, ['', '', ' ', '-']);
  const groups = length === 15 ? /^(\d{4})(\d{6})(\d{5})$/ : /^(\d{4})(\d{4})(\d{4})(\d{4})$/;
  return number.replace(groups, (_all, ...parts: string[]) => parts.slice(0, length === 15 ? 3 : 4).join(separator));
}

const IBANS: readonly [country: string, form: string][] = [
  ['DE', '999999999999999999'],
  ['GB', 'AAAA99999999999999'],
  ['FR', '99999999999999999999999'],
  ['NL', 'AAAA9999999999'],
  ['ES', '99999999999999999999'],
  ['NO', '99999999999'],
  ['CH', '99999999999999999'],
];

function iban(pick: Pick, wrong = false): string {
  const [country, form] = one(pick, IBANS);
  const account = form.replaceAll(/./g, (kind) => (kind === '9' ? String(pick(10)) : from(pick, 'ABCDEFGHIJ', 1)));
  const asDigits = `${account}${country}00`.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  const check = 98n - (BigInt(asDigits) % 97n);
  const number = `${country}${String(wrong ? ((check + 5n) % 97n) + 1n : check).padStart(2, '0')}${account}`;
  return pick(2) === 0 ? number : number.replaceAll(/(.{4})(?=.)/g, '$1 ');
}

const octet = (pick: Pick): number => 1 + pick(254);

const VALUES: Record<(typeof MASKERS)[number], (pick: Pick) => string> = {
  email: (pick) => {
    const local = one(pick, [
      word(pick),
      `${word(pick)}.${word(pick)}`,
      `${word(pick)}+${word(pick)}`,
      `${word(pick)}${digits(pick, 2)}`,
    ]);
    const domain = one(pick, [
      `${word(pick)}.com`,
      `${word(pick)}-${word(pick)}.de`,
      `mail.${word(pick)}.co.uk`,
      `${word(pick)}.museum`,
    ]);
    return pick(4) === 0 ? `${local}@${domain}`.toUpperCase() : `${local}@${domain}`;
  },
  phone: (pick) =>
    one(pick, [
      `+49 ${30 + pick(60)} ${digits(pick, 7)}`,
      `+1 ${2 + pick(8)}${digits(pick, 2)}-${2 + pick(8)}${digits(pick, 2)}-${digits(pick, 4)}`,
      `(${2 + pick(8)}${digits(pick, 2)}) ${2 + pick(8)}${digits(pick, 2)}-${digits(pick, 4)}`,
      `${2 + pick(8)}${digits(pick, 2)}-${2 + pick(8)}${digits(pick, 2)}-${digits(pick, 4)}`,
      `0${1 + pick(9)} ${digits(pick, 2)} ${digits(pick, 2)} ${digits(pick, 2)} ${digits(pick, 2)}`,
      `0${30 + pick(60)}/${1 + pick(9)}${digits(pick, 6)}`,
      `020 7${digits(pick, 3)} ${digits(pick, 4)}`,
      `+44${1 + pick(9)}${digits(pick, 9)}`,
      `0049 ${30 + pick(60)} ${digits(pick, 6)}`,
      `tel: ${1 + pick(9)}${digits(pick, 9)}`,
    ]),
  card: (pick) => card(pick),
  iban: (pick) => iban(pick),
  ip: (pick) =>
    one(pick, [
      `${octet(pick)}.${octet(pick)}.${octet(pick)}.${octet(pick)}`,
      `192.168.${octet(pick)}.${octet(pick)}`,
      `2001:db8:${from(pick, HEX, 4)}::${from(pick, HEX, 3)}1`,
      `fe80::${from(pick, HEX, 4)}:${from(pick, HEX, 4)}:7${from(pick, HEX, 3)}`,
      Array.from({ length: 8 }, () => `1${from(pick, HEX, 3)}`).join(':'),
    ]),
  secret: (pick) =>
    one(pick, [
      `sk-${from(pick, ALNUM, 48)}`,
      `sk-proj-${from(pick, `${ALNUM}-_`, 74)}Z`,
      `sk-ant-api03-${from(pick, `${ALNUM}-_`, 93)}AA`,
      `AKIA${from(pick, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`,
      `ghp_${from(pick, ALNUM, 36)}`,
      `xoxb-${digits(pick, 12)}-${digits(pick, 12)}-${from(pick, ALNUM, 24)}`,
      `spn_sk_${from(pick, ALNUM, 49)}`,
      `eyJhbGciOiJIUzI1NiJ9.eyJzdWIi${from(pick, ALNUM, 30)}.${from(pick, `${ALNUM}-_`, 42)}x`,
    ]),
};

const uuid = (pick: Pick): string => [8, 4, 4, 4, 12].map((length) => from(pick, HEX, length)).join('-');

const LOOK_ALIKES: Record<(typeof MASKERS)[number], ((pick: Pick) => string)[]> = {
  email: [
    (pick) => `@${word(pick)}`,
    (pick) => `${word(pick)}@${word(pick)}`,
    (pick) => `icon_${word(pick)}@2x.png`,
    (pick) => `@${word(pick)}/${word(pick)}@${pick(9)}.${pick(20)}.${pick(9)}`,
    (pick) => `${word(pick)} @ ${word(pick)}.com`,
    (pick) => `${word(pick)}@${pick(9)}.${pick(20)}.${pick(9)}-beta.${pick(9)}`,
  ],
  phone: [
    (pick) => `order ${1 + pick(9)}${digits(pick, 9)}`,
    (pick) => `20${10 + pick(20)}-0${1 + pick(9)}-1${pick(10)} 1${pick(10)}:${10 + pick(50)}`,
    (pick) => `0${1 + pick(9)}.1${pick(3)}.20${10 + pick(20)}`,
    (pick) => `INV-20${10 + pick(20)}-${digits(pick, 6)}`,
    (pick) => `978-3-${digits(pick, 2)}-${digits(pick, 6)}-${pick(10)}`,
    (pick) => `${1 + pick(9)},${digits(pick, 3)},${digits(pick, 3)}.${digits(pick, 2)}`,
    (pick) => `0.${digits(pick, 12)}`,
    (pick) => uuid(pick),
    (pick) => `52.${digits(pick, 6)}, 13.${digits(pick, 6)}`,
    (pick) => `1${digits(pick, 12)}`,
    (pick) => `${pick(99)} + ${pick(99)} - ${pick(999)} (${pick(99)})`,
  ],
  card: [
    (pick) => card(pick, true),
    (pick) => `1${digits(pick, 15)}`,
    (pick) => `17${digits(pick, 11)}`,
    (pick) => `${digits(pick, 24)}`,
    (pick) => `0.${digits(pick, 16)}`,
    (pick) => `${digits(pick, 4)} ${digits(pick, 4)} ${digits(pick, 4)}`,
    (pick) => `id_${digits(pick, 16)}`,
  ],
  iban: [
    (pick) => iban(pick, true),
    (pick) => `${from(pick, 'ABCDEFGH', 2)}${digits(pick, 6)}`,
    (pick) => `XX${digits(pick, 20)}`,
    (pick) => from(pick, 'ABCDEF0123456789', 24),
    (pick) => `SKU-${from(pick, 'ABCDEFGH', 4)}-${digits(pick, 8)}`,
  ],
  ip: [
    (pick) => `v${pick(9)}.${pick(20)}.${pick(20)}.${pick(20)}`,
    (pick) => `version ${pick(9)}.${pick(20)}.${pick(20)}.${pick(20)}`,
    (pick) => `10.0.${19_000 + pick(999)}.${pick(999)}`,
    (pick) => `${pick(9)}.${pick(9)}.${pick(9)}.${pick(9)}.${pick(9)}`,
    (pick) => `1${pick(10)}:${10 + pick(50)}:${10 + pick(50)}`,
    (pick) => `std::${word(pick)}`,
    (pick) => Array.from({ length: 6 }, () => from(pick, HEX, 2)).join(':'),
    (pick) => `{"a":${pick(9)},"b":${pick(9)}}`,
  ],
  secret: [
    (pick) => uuid(pick),
    (pick) => from(pick, HEX, 64),
    (pick) => `sk-${word(pick)}-${word(pick)}-${word(pick)}`,
    (pick) => `${word(pick)}_${word(pick)}_${word(pick)}_${word(pick)}`,
    (pick) => `${word(pick).toUpperCase()}_${word(pick).toUpperCase()}_${word(pick).toUpperCase()}`,
    (pick) => `https://${word(pick)}.com/${word(pick)}/${word(pick)}?page=${pick(99)}`,
    (pick) => `task-${word(pick)}-${word(pick)}-${digits(pick, 6)}`,
    (pick) => `chatcmpl-${from(pick, ALNUM, 29)}`,
    (pick) => `eyJ${from(pick, LOWER, 8)}`,
  ],
};
