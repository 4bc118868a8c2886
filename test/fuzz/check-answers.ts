import { TOKEN, type Plan } from './plan.ts';
import { readAnswers, type ReadAnswer } from './read-answers.ts';

/** How a conversation went. */
export interface Exchange {
  /** What came, as latin1. */
  received: string;
  /** How it ended: the server closed or reset, the client left, or nothing more came in time. */
  end: 'closed' | 'reset' | 'left' | 'silent' | 'refused';
  millis: number;
}

/** What an exchange shows. */
export interface Findings {
  violations: string[];
  answers: ReadAnswer[];
  /** Requests that were refused since the program was busy (429 or 503): allowed, and counted. */
  shed: number;
}

/**
 * Statuses that a program without a fault never answers on that port by itself, whatever is sent to it. 501 is for codings of a
 * request that it does not know.
 */
const NEVER = { api: new Set([500, 502, 504]), gateway: new Set([500]) };
const BUSY = new Set([429, 503]);

/** Holds what came back against what had to. */
export function checkAnswers(plan: Plan, exchange: Exchange): Findings {
  const { expected } = plan;
  const closed = exchange.end === 'closed' || exchange.end === 'reset';
  const methods = expected.map(({ method }) => method);
  const { answers, fault } = readAnswers(exchange.received, methods, closed);
  const violations: string[] = [];
  if (fault !== undefined) violations.push(`bytes that are no answer: ${JSON.stringify(fault)}`);
  const sent = plan.steps.map((step) => ('write' in step ? step.write : '')).join('');
  // A body that was changed may have a token that nobody was given.
  const isForeign = (token: string, index: number): boolean =>
    token !== expected[index]?.token && (expected.some((other) => other.token === token) || !sent.includes(token));
  let shed = 0;
  for (const [index, answer] of answers.entries()) {
    const request = expected[index];
    const isOwn = request !== undefined && answer.text.includes(request.token);
    const foreign = [...answer.text.matchAll(TOKEN)].map(([token]) => token).filter((token) => isForeign(token, index));
    if (foreign.length > 0) violations.push(`answer ${index + 1} belongs to another request: ${foreign[0]}`);
    if (NEVER[plan.port].has(answer.status) && !isOwn) violations.push(`answer ${index + 1} is ${answer.status}`);
    if (request === undefined && answer.status < 400) {
      violations.push(`an answer that nobody asked for: ${answer.status}`);
    }
    if (BUSY.has(answer.status) && !isOwn) {
      shed++;
    } else if (request?.need === 'own') {
      if (!isOwn) violations.push(`request ${index + 1} was answered with ${answer.status} without its token`);
      else if (!answer.whole && exchange.end !== 'left') violations.push(`answer ${index + 1} is cut`);
    }
  }
  const missing = expected.slice(answers.length);
  if (exchange.end === 'refused') violations.push('the connection was refused');
  else if (exchange.end === 'silent' && missing.some(({ need }) => need !== 'none')) {
    violations.push(`request ${answers.length + 1} of ${expected.length} hangs: no answer, and no end`);
  } else if (closed && !answers.some(({ status }) => BUSY.has(status))) {
    const unanswered = missing.findIndex(({ need }) => need === 'own');
    if (unanswered !== -1) violations.push(`request ${answers.length + unanswered + 1} was never answered`);
  }
  return { violations, answers, shed };
}
