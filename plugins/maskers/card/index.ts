import { defineMasker } from '@spandrel/plugin-api';
import { findCards } from './find-cards.js';

/** Numbers of payment cards, also as numbers of JSON. Blanks and dashes between the digits make no difference. */
export default defineMasker({
  name: 'card',
  setup: () => ({
    label: 'card',
    finder: () => ({
      lengthMin: 13,
      numbers: true,
      find: findCards,
      canonical: (value) => value.replaceAll(/[^\d]/g, ''),
    }),
  }),
});
