/**
 * Loaded by a program before anything else (`NODE_OPTIONS=--import=…`): its clock and its timers run as fast as the file named by
 * `TEST_CLOCK` says, `{ factor, at, now }`: the clock shows `now` at the moment `at`, and goes on by the factor from there.
 */
import { readFileSync, watchFile } from 'node:fs';

const realNow = Date.now;
const { setTimeout: realTimeout, setInterval: realInterval } = globalThis;
const read = () => JSON.parse(readFileSync(process.env.TEST_CLOCK, 'utf8'));
let clock = read();
watchFile(process.env.TEST_CLOCK, { interval: 50, persistent: false }, () => (clock = read()));

Date.now = () => Math.floor(clock.now + (realNow() - clock.at) * clock.factor);
globalThis.Date = class extends Date {
  constructor(...given) {
    if (given.length === 0) super(Date.now());
    else super(...given);
  }
};
globalThis.setTimeout = (run, ms = 0, ...given) => realTimeout(run, ms / clock.factor, ...given);
globalThis.setInterval = (run, ms = 0, ...given) => realInterval(run, ms / clock.factor, ...given);
AbortSignal.timeout = (ms) => {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  realTimeout(abort, ms / clock.factor).unref();
  return controller.signal;
};
