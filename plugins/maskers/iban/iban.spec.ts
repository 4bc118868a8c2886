import { describe, it } from '@jest/globals';
import { describeMaskerContract } from '@spandrel/plugin-api/testing';
import iban from './index.js';

describeMaskerContract(
  {
    plugin: iban,
    texts: [
      {
        text: 'to DE89 3704 0044 0532 0130 00 please',
        values: ['DE89 3704 0044 0532 0130 00'],
        canonical: 'DE89370400440532013000',
      },
      {
        text: 'gb82west12345698765432, NO93-8601-1117-947',
        values: ['gb82west12345698765432', 'NO93-8601-1117-947'],
        canonical: 'GB82WEST12345698765432',
      },
      { text: 'FR14 2004 1010 0505 0001 3M02 606', values: ['FR14 2004 1010 0505 0001 3M02 606'] },
      { text: 'DE88 3704 0044 0532 0130 00 and DE89 3704 0044 0532 0130', values: [] },
      { text: 'ZZ89370400440532013000, xDE89370400440532013000, DE893704004405320130001', values: [] },
    ],
  },
  { describe, it },
);
