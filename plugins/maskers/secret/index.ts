import { defineMasker } from '@spandrel/plugin-api';
import { findSecrets } from './find-secrets.js';

/** Keys and tokens of well-known services, JWTs, private keys, passwords in URLs, and Spandrel's own keys. */
export default defineMasker({
  name: 'secret',
  setup: () => ({ label: 'secret', finder: () => ({ lengthMin: 8, find: findSecrets }) }),
});
