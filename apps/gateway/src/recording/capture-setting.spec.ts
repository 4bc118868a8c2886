import { expect, it } from '@jest/globals';
import { captureText, parseCapture } from './capture-setting.js';

it('a mode is shown as users write it', () => {
  for (const text of ['Full', 'Off', 'Preview(120)']) expect(captureText(parseCapture(text)!)).toBe(text);
  expect(captureText(parseCapture(' preview ( 7 ) ')!)).toBe('Preview(7)');
});
