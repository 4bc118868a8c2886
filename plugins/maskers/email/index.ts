import { defineMasker } from '@spandrel/plugin-api';
import { findEmails } from './find-emails.js';

/** E-mail addresses. Equal but for the case of their letters is equal. */
export default defineMasker({
  name: 'email',
  setup: () => ({
    label: 'email',
    finder: () => ({ lengthMin: 6, find: findEmails, canonical: canonicalEmail }),
  }),
});

const canonicalEmail = (value: string): string =>
  value
    .replace('%40', '@')
    .replaceAll(/[\u3002\uff61]/g, '.')
    .toLowerCase();
