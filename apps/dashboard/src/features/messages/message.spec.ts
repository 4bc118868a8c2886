import { describe, expect, it } from '@jest/globals';
import { safeLinkOf } from './message.js';

describe('safeLinkOf', () => {
  it('says where a link leads', () => {
    expect(safeLinkOf('https://good.example@evil.example:81/a')).toMatchObject({ leadsTo: 'evil.example:81' });
    expect(safeLinkOf('mailto:a@b.example?subject=x')).toMatchObject({ leadsTo: 'a@b.example' });
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:x',
    'data:text/html,x',
    'file:///etc',
    '/a',
    '//a',
    '',
    null,
  ])('does not follow %p', (address) => {
    expect(safeLinkOf(address)).toBeNull();
  });
});
