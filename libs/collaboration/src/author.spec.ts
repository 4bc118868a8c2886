import { describe, expect, it } from '@jest/globals';
import { namesIn } from './author.js';

describe('whom a comment names', () => {
  it.each([
    ['@ana please look, (@Jörg.Müller), and @ana again', ['ana', 'Jörg.Müller']],
    ['Ask @jo-ann_b. @kim: see below\n@lee', ['jo-ann_b', 'kim', 'lee']],
    ['write to ann@people.example or https://x.example/@someone, or @@nobody', []],
    ['`@Injectable()` and\n```ts\n@Module({})\n```\nare decorators, @ana', ['ana']],
    ['an open ` before @ana', ['ana']],
    ['@ and @- are nobody', []],
  ])('%s', (text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  it('are twenty at most, in no time', () => {
    expect(namesIn(Array.from({ length: 50 }, (_, i) => `@n${i}`).join(' '))).toHaveLength(20);
    expect(namesIn('@a.'.repeat(3_000) + '`'.repeat(999))).toEqual(['a']);
  });
});
