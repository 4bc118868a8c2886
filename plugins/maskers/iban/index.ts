import { defineMasker } from '@spandrel/plugin-api';
import { findIbans } from './find-ibans.js';

/** International bank account numbers, in one piece or in groups. */
export default defineMasker({
  name: 'iban',
  setup: () => ({
    label: 'iban',
    finder: () => ({
      lengthMin: 15,
      find: findIbans,
      canonical: (value) => value.replaceAll(/[^a-z0-9]/gi, '').toUpperCase(),
    }),
  }),
});
