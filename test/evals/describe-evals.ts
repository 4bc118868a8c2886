import { afterAll, beforeAll } from '@jest/globals';
import { callsOfItems } from './calls-of-items.ts';
import { comparing } from './comparing.ts';
import { differentlyScored } from './differently-scored.ts';
import { deletedRuns } from './deleted-runs.ts';
import { EvalsLab } from './evals-lab.ts';
import { gatesOfRuns } from './gates-of-runs.ts';
import { groupsOfRuns } from './groups-of-runs.ts';
import { externalHandover } from './external-handover.ts';
import { externalRuns } from './external-runs.ts';
import { judgesOfRuns } from './judges-of-runs.ts';
import { lifeOfRuns } from './life-of-runs.ts';
import { preferencesOfRuns } from './preferences-of-runs.ts';
import { promptsOfRuns } from './prompts-of-runs.ts';
import { providersOfRuns } from './providers-of-runs.ts';
import { resultsOfRuns } from './results-of-runs.ts';
import { comparedItems } from './compared-items.ts';
import { listsOfRuns } from './lists-of-runs.ts';
import { passesOfRuns } from './passes-of-runs.ts';
import { resultsByPass } from './results-by-pass.ts';
import { resultsTables } from './results-tables.ts';
import { restarts } from './restarts.ts';
import { samplesOfRuns } from './samples-of-runs.ts';
import { seededRegressions } from './seeded-regressions.ts';
import { scorersOfRuns } from './scorers-of-runs.ts';
import { startingRuns } from './starting-runs.ts';
import { statisticsOfRuns } from './statistics-of-runs.ts';
import { subsetsOfRuns } from './subsets-of-runs.ts';
import { tracesOfItems } from './traces-of-items.ts';
import { triedAgain } from './tried-again.ts';
import { describeOnDatabase, showsAll, type TestDatabase } from '../support/databases.ts';

/** What runs must do alike on every database. @param newDatabase opens a new, empty one; the same again for its config. */
export function describeEvals(database: TestDatabase): void {
  describeOnDatabase(database, 'evals', (suite) => {
    const newDatabase = () => suite.newDatabase('evals');
    const all = showsAll(database.name);
    let opened: EvalsLab | undefined;

    beforeAll(async () => {
      opened = await EvalsLab.open(await newDatabase());
    });
    afterAll(() => opened?.close());

    const lab = (): EvalsLab => opened!;
    startingRuns(lab);
    promptsOfRuns(lab);
    resultsOfRuns(lab, all);
    resultsTables(lab);
    if (all) {
      callsOfItems(lab);
      providersOfRuns(lab);
      judgesOfRuns(lab);
    }
    lifeOfRuns(lab);
    comparing(lab, all);
    comparedItems(lab, all);
    listsOfRuns(lab);
    statisticsOfRuns(lab);
    passesOfRuns(lab);
    resultsByPass(lab);
    gatesOfRuns(lab);
    groupsOfRuns(lab);
    differentlyScored(lab);
    preferencesOfRuns(lab);
    seededRegressions(lab, database.name);
    tracesOfItems(lab, newDatabase, all);
    externalRuns(lab);
    externalHandover(newDatabase);
    samplesOfRuns(lab, newDatabase);
    scorersOfRuns(lab);
    subsetsOfRuns(lab);
    triedAgain(lab);
    deletedRuns(lab);
    restarts(newDatabase, all);
  });
}
