import { bothDatabases } from '../support/databases.ts';
import { describeFuzz } from './describe-fuzz.ts';

for (const [name, newDatabase] of bothDatabases()) {
  describeFuzz(name, () => newDatabase('fuzz'), name === 'Postgres' ? 7 : 4);
}
