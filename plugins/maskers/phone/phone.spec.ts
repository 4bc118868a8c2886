import { describe, it } from '@jest/globals';
import { describeMaskerContract } from '@spandrel/plugin-api/testing';
import phone from './index.js';

describeMaskerContract(
  {
    plugin: phone,
    texts: [
      { text: 'Call +49 (0)30 901820 today', values: ['+49 (0)30 901820'], canonical: '+4930901820' },
      {
        text: 'Call 0049 30 901820, or +1 415-555-0132.',
        values: ['0049 30 901820', '+1 415-555-0132'],
        canonical: '+4930901820',
      },
      { text: '(415) 555-0132 and 415.555.0132', values: ['(415) 555-0132', '415.555.0132'] },
      {
        text: 'Paris: 06 12 34 56 78, Berlin: 030/901820, London: 020 7946 0958',
        values: ['06 12 34 56 78', '030/901820', '020 7946 0958'],
      },
      { text: '{"phone":"4155550132","tel":4155550133}', values: ['4155550132', '4155550133'] },
      { text: 'On 2026-11-23 at 03:01:21, or 23.11.2026 12:30, 01/02/2026', values: [] },
      { text: 'order 4155550132, card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00', values: [] },
      { text: 'pi is 3.14159265, at 192.168.10.21, id 0193af2e-7c11-7a4b-9d3e-1f2a3b4c5d6e', values: [] },
    ],
  },
  { describe, it },
);
