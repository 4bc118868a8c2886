import { describe, expect, it } from '@jest/globals';
import { checkAnswers, type Exchange } from './check-answers.ts';
import { makePlan } from './make-plan.ts';
import type { Expected, Plan } from './plan.ts';
import { readAnswers } from './read-answers.ts';

const [ONE, TWO] = [`fz${'1'.repeat(20)}`, `fz${'2'.repeat(20)}`] as const;
const answer = (body: string, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('reading answers', () => {
  it('passes over interim ones, joins chunks, and says what has no end yet', () => {
    const chunks = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX: y\r\n\r\n`;
    const bytes = `HTTP/1.1 103 Early Hints\r\n\r\n${answer('x')}${chunks}${answer('cut').slice(0, -1)}`;
    const { answers, interim, fault } = readAnswers(bytes, ['GET', 'GET', 'GET'], false);
    expect([interim, fault]).toEqual([1, undefined]);
    expect(answers.map(({ whole }) => whole)).toEqual([true, true, false]);
    expect(answers[1]!.text).toContain('\r\n\r\nabcde');
  });

  it('knows answers that have no body, and bytes that are no answer', () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n';
    expect(readAnswers(head + answer('x'), ['HEAD', 'GET'], false).answers).toHaveLength(2);
    expect(readAnswers(`${answer('x')}{"a":1}`, ['GET', 'GET'], true).fault).toBe('{"a":1}');
    expect(readAnswers(`${answer('x')}HTT`, ['GET', 'GET'], false).fault).toBeUndefined();
  });
});

describe('holding answers against requests', () => {
  const violations = (received: string, end: Exchange['end'], need: Expected['need'] = 'own'): string[] => {
    const expected = [ONE, TWO].map((token) => ({ method: 'GET', token, need }));
    const plan: Plan = { index: 0, kind: 'test', port: 'gateway', steps: [{ write: `${ONE} ${TWO}` }], expected };
    return checkAnswers(plan, { received, end, millis: 1 }).violations;
  };

  it.each<[string, string, Exchange['end'], Expected['need'], string[]]>([
    ['in order', answer(ONE) + answer(TWO), 'left', 'own', []],
    ['busy', answer(ONE) + answer('', '503 Busy'), 'closed', 'own', []],
    ['behind an end that is allowed', answer(ONE), 'closed', 'some', []],
    [
      'exchanged',
      answer(TWO) + answer(ONE),
      'left',
      'some',
      [`answer 1 belongs to another request: ${TWO}`, `answer 2 belongs to another request: ${ONE}`],
    ],
    [
      'a refusal in its place',
      answer('', '400 Bad Request') + answer(TWO),
      'closed',
      'own',
      ['request 1 was answered with 400 without its token'],
    ],
    ['missing', answer(ONE), 'closed', 'own', ['request 2 was never answered']],
    ['hanging', answer(ONE), 'silent', 'some', ['request 2 of 2 hangs: no answer, and no end']],
    ['cut', `${answer(ONE)}HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n${TWO}`, 'closed', 'own', ['answer 2 is cut']],
    ['one too many', answer(ONE) + answer(TWO) + answer('x'), 'left', 'own', ['an answer that nobody asked for: 200']],
    ['a fault of the program', answer(ONE) + answer('', '500 Oh'), 'left', 'some', ['answer 2 is 500']],
    [
      'for nobody in particular',
      answer(`fz${'3'.repeat(20)}`),
      'closed',
      'some',
      [`answer 1 belongs to another request: fz${'3'.repeat(20)}`],
    ],
  ])('%s', (_name, received, end, need, found) => expect(violations(received, end, need)).toEqual(found));
});

it('makes the same plan of a seed and a number, and others of others', () => {
  const plans = Array.from({ length: 300 }, (_, index) => JSON.stringify(makePlan(7, index)));
  expect(Array.from({ length: 300 }, (_, index) => JSON.stringify(makePlan(7, index)))).toEqual(plans);
  expect(new Set(plans).size).toBe(300);
  expect(JSON.stringify(makePlan(8, 0))).not.toBe(plans[0]);
});
