import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { readReply } from '@spandrel/plugin-api';
import { SCORE_FORMAT } from './prompt.js';

const NONE = /no JSON object with a score/;
const FAULTY = /cut off or faulty/;
const SEVERAL = /several scores/;
const NO_NUMBER = /not a number from 0 to 1/;

function readVerdict(reply: string) {
  const { said: score, ...reason } = readReply(reply, SCORE_FORMAT);
  return { score, ...reason };
}

function messageOf(fails: () => unknown): string {
  try {
    fails();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('did not fail');
}

describe('the verdict of a judge', () => {
  it.each([
    ['bare', '{"score": 0.5, "reason": "so so"}'],
    ['pretty', '\n{\n  "score": 5e-1,\n  "reason": "so so"\n}\n'],
    ['in a fence', '```json\n{"score": 0.5, "reason": "so so"}\n```'],
    ['in a fence without a language', '```\n{"score": 0.5, "reason": "so so"}\n```'],
    ['with text around it', 'I weighed it: {"score": 0.5, "reason": "so so"}. Done.'],
    ['after a thought', '<think>\\frac{1}{2} of {it} is {} } right</think>{"score": 0.5, "reason": "so so"}'],
    ['after an object of another kind', '{"facts": [{"score": 1}]}\n{"score": 0.5, "reason": "so so"}'],
    ['with members beyond those asked for', '{"criteria": [{"score": 1}], "score": 0.5, "reason": "so so"}'],
    ['in a list', '[{"score": 0.5, "reason": "so so"}]'],
    ['twice the same', '{"score": 0.5, "reason": "so so"} or {"score": 0.50, "reason": "again"}'],
    ['with the score as text', '{"score": " 0.5 ", "reason": "so so"} or {"score": 5e-1}'],
    ['with trailing commas', '{"criteria": [0.3, ], "score": 0.5, "reason": "so so",\n}'],
  ])('reads an object %s', (_how, reply) => {
    expect(readVerdict(reply)).toEqual({ score: 0.5, reason: 'so so' });
  });

  it('reads both ends of the scale, and braces and quotes in a reason', () => {
    expect(readVerdict('{"score": 0}')).toEqual({ score: 0 });
    const reason = 'has } and { and " and {"score": 0}';
    expect(readVerdict(JSON.stringify({ reason, score: 1 }))).toEqual({ score: 1, reason });
  });

  it('reads the ends of the scale as text', () => {
    expect(['0', '1', '1.0', '0.25', '5e-1'].map((score) => readVerdict(JSON.stringify({ score })).score)).toEqual([
      0, 1, 1, 0.25, 0.5,
    ]);
  });

  it.each([
    ['a raw line break', 'line one\nline two'],
    ['other control characters', 'a\tb\r\nc\u0001'],
    ['commas before brackets', 'first ,} then ,]\n'],
  ])('reads a reason with %s', (_what, reason) => {
    expect(readVerdict(`{"reason": "${reason}", "score": 0.8,}`)).toEqual({ score: 0.8, reason });
  });

  it.each([
    ['a sentence', '<think>The output says Ebb. Fine.</think>'],
    ['a draft', '<think>Maybe {"score": 0.5, "reason": "hm"}? No, better.</think>'],
    ['code', '<think>The answer uses {name: "x"} which is JS.</think>'],
    ['a draft that is cut off', '<think>{"score": 0.5, "reason": "it \'s</think>'],
    ['thoughts in several parts', '<think>{"score": 0.1}</think> so {"score": 0.2} <think>or {</think>'],
    ['thoughts whose beginning the template holds', 'So {"score": 0.2}.\n</think>\n'],
    ['Mistral’s mark', '[THINK]{"score": 0.1}[/THINK]'],
    ['a longer mark', '<thinking>{"score": 0.1}</thinking>'],
  ])('cuts %s before the verdict', (_what, thoughts) => {
    expect(readVerdict(`${thoughts}\n{"score": 0.8, "reason": "ok"}`)).toEqual({ score: 0.8, reason: 'ok' });
  });

  it('takes a mark in a reason for what it speaks of', () => {
    const reason = 'ends with </think> where {"score": 1} stands';
    expect(readVerdict(JSON.stringify({ score: 0.25, reason }))).toEqual({ score: 0.25, reason });
  });

  it.each([
    ['an object without quotes', 'The output `{a: 1}` is not strict JSON.'],
    ['an object of Python', "The output {'a': 1, 'b': 'it}s', 'c': None} is a Python dict."],
    ['a set', 'The output {"a", "b"} is a set.'],
    ['a formula', 'The output \\frac{a}{b} is right.'],
    ['the format', 'Format: {"score": <number from 0 to 1>, "reason": "..."}'],
    ['the format in words', 'I answer as {"score": 0.0-1.0, "reason": ...}:'],
    ['a template', 'Hello {{name}}, ${amount} and {0:.2f} are left.'],
    ['a function', "function rate() {\n  return { a: 'x', b: `}` };\n}"],
    ['code that is cut off', 'if (x) {\n  for (;;) {\n    rate();'],
    ['an open brace in quotes', 'It begins with "{" and is not closed.'],
    ['an open brace', 'It has a { too many.'],
    ['an object of another kind', '{"facts": [1, 2,],}'],
  ])('passes over %s', (_what, prose) => {
    expect(readVerdict(`${prose}\n{"score": 0.8, "reason": "ok"}`)).toEqual({ score: 0.8, reason: 'ok' });
  });

  it('leaves out a reason that is empty or no text', () => {
    expect(readVerdict('{"score": 1, "reason": ""}')).toEqual({ score: 1 });
    expect(readVerdict('{"score": 1, "reason": ["a"]}')).toEqual({ score: 1 });
  });

  it.each([
    ['', NONE],
    ['0.5', NONE],
    ['The score is 0.5', NONE],
    ['score: 0.5', NONE],
    ['{}', NONE],
    ['{"reason": "good"}', NONE],
    ['{"Score": 0.5}', NONE],
    ['{"result": {"score": 0.5}}', NONE],
    ["{'score': 0.5}", FAULTY],
    ['{"score": 0.5', FAULTY],
    ['{"score": .5}', FAULTY],
    ['{"score": NaN}', FAULTY],
    ['{"score": 0..1, "reason": "..."}', FAULTY],
    ['"{\\"score\\": 1}"', NONE],
    ['{"criteria": {"score": 0.3}, "sco', FAULTY],
    ['{"criteria": [{"score": 0.3}], score: 0.9}', FAULTY],
    ['{"reason": "a } here", "criteria": {"score": 0.3}, "sco', FAULTY],
    ['{reason: "a } here", criteria: {"score": 0.3}, score: 0.9}', FAULTY],
    ["{'reason': 'a } here', 'criteria': {\"score\": 0.3}}", FAULTY],
    ['{"score": 0.3} {"score"', FAULTY],
    ['function rate() { return {"score": 1} }', NONE],
    ['an open { and {"score": 1}', NONE],
    ['{"score": 0.2} no, {"score": 0.9}', SEVERAL],
    ['[{"score": 0.2}, {"score": 0.3}]', SEVERAL],
    ['{"score": 0.8, "reason": "it is', FAULTY],
    ['{"score": 0.8, "reason": "C:\\x"}', FAULTY],
    ['{"score": 0.8, "reason": "he said "hi""}', FAULTY],
    ['{"score": 0.5,,}', FAULTY],
    ['{score: 0.2}\n{"score": 0.8}', FAULTY],
    ['{"score": NaN}\n{"score": 0.8}', FAULTY],
    ["{'score': '0.2'}\n{\"score\": 0.8}", FAULTY],
    ['{"name": "Bob" is cut off\n{"score": 0.8}', FAULTY],
    ['function rate() {\n{"score": 1}\n}', NONE],
    ['<think>So {"score": 0.5}', NONE],
    ['<think>a</think>\n<think>So {"score": 0.5}', NONE],
    ['<think>{"score": 0.5}</think>', NONE],
    ['<think>a</think>{"score": 0.2} no, {"score": "0.9"}', SEVERAL],
    ['{"score": 80}', NO_NUMBER],
    ['{"score": "80"}', NO_NUMBER],
    ['{"score": "80%"}', NO_NUMBER],
    ['{"score": "4/5"}', NO_NUMBER],
    ['{"score": ""}', NO_NUMBER],
    ['{"score": "0,8"}', NO_NUMBER],
    ['{"score": "high"}', NO_NUMBER],
    ['{"score": "-0.1"}', NO_NUMBER],
    ['{"score": "1.0000001"}', NO_NUMBER],
    ['{"score": null}', NO_NUMBER],
    ['{"score": true}', NO_NUMBER],
    ['{"score": [0.5]}', NO_NUMBER],
    ['{"score": 1.01}', NO_NUMBER],
    ['{"score": -0.01}', NO_NUMBER],
    ['{"score": 7}', NO_NUMBER],
    ['{"score": 1e400}', NO_NUMBER],
  ])('refuses %s', (reply, reason) => {
    expect(() => readVerdict(reply)).toThrow(reason);
  });

  it('finds a verdict in any text around it, and only the one that is there', () => {
    const prose = fc.string({ unit: fc.constantFrom(...'ab "\'\\\n[]:,.0é🌊`') });
    const score = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(prose, fc.record({ score, reason: fc.string({ minLength: 1 }) }), prose, (before, said, after) => {
        const { score: read, reason } = readVerdict(before + JSON.stringify(said) + after);
        expect([read, reason]).toEqual([said.score + 0, said.reason]);
      }),
    );
    fc.assert(
      fc.property(score, fc.nat(), (said, cut) => {
        const whole = JSON.stringify({ reason: 'so', parts: [{ score: 1 }], score: said });
        expect(() => readVerdict(whole.slice(0, 1 + (cut % (whole.length - 1))))).toThrow();
      }),
    );
  });

  it('quotes the beginning of the reply on one line, fit for any column', () => {
    const reply = `\0\ud800\n${'x'.repeat(1_000)}`;
    const message = messageOf(() => readVerdict(reply));
    expect(message).toMatch(/: "\\u0000\\ud800\\nx+" …$/);
    expect(message.length).toBeLessThan(300);
  });

  it.each([
    ['braces', '{'.repeat(2_000_000)],
    ['pairs', '{}'.repeat(1_000_000)],
    ['keys', '{"a":'.repeat(400_000)],
    ['quotes', '{"'.repeat(1_000_000)],
    ['broken objects', '{"}'.repeat(700_000)],
    ['crossed brackets', '{[}'.repeat(700_000)],
    ['a long text', `{"reason": "${'x'.repeat(4_000_000)}`],
    ['objects without a score', '{"a":1}'.repeat(300_000)],
    ['many escapes', `{"reason": "${'\\n'.repeat(2_000_000)}`],
    ['faulty objects', '{a:1}'.repeat(400_000)],
    ['open objects in lines', '{ \n{a:1}'.repeat(300_000)],
    ['blanks', `{a:${' '.repeat(2_000_000)}}`],
    ['commas', `{"a":1${', '.repeat(1_000_000)}}`],
    ['braces in one line', '{ {"a":1 '.repeat(300_000)],
    ['apostrophes', `{a:${",'\\".repeat(700_000)}`],
    ['ends of thoughts', '</think>'.repeat(300_000)],
  ])('is quick with %s', (_what, reply) => {
    const start = process.cpuUsage();
    expect(() => readVerdict(reply)).toThrow(/no JSON object|faulty/);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(3_000);
  });

  it('reads a long reason', () => {
    const reason = 'so "well" said\n'.repeat(100_000);
    expect(readVerdict(JSON.stringify({ reason, score: 1 }))).toEqual({ score: 1, reason });
  });
});
