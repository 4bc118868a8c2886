import { bothDatabases } from '../support/databases.ts';
import { describeFuzz } from './describe-fuzz.ts';
import { THOROUGH } from '../support/repetitions.ts';

for (const [name, newDatabase] of bothDatabases()) {
  describeFuzz(name, () => newDatabase('fuzz'), THOROUGH ? 1 : name === 'Postgres' ? 9 : 6);
}
