import { defineMasker } from '@spandrel/plugin-api';
import { findAddresses } from './find-addresses.js';

/** IP addresses, version 4 and 6. */
export default defineMasker({
  name: 'ip',
  setup: () => ({
    label: 'ip',
    finder: () => ({ lengthMin: 3, find: findAddresses, canonical: (value) => value.toLowerCase() }),
  }),
});
