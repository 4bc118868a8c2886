import type { OwnedTable } from '@spandrel/kernel';

/** Takes away what a feature keeps of a project elsewhere than in tables of its own, such as an index. */
export interface ProjectRemover {
  /** Where it is kept; shown as progress. */
  readonly name: string;
  /**
   * Takes some of it away, within seconds. Called any number of times, by any server, once nobody can reach the project any
   * more. Doing it again does no harm.
   * @returns how much went, as far as that is known, and whether it is to be called again, as something may be left.
   * @throws what makes it impossible just now; it is tried again.
   */
  remove(projectId: string): Promise<{ removed: number; isMoreLeft: boolean }>;
}

/** How everything that belongs to a project goes with it: rows of tables as features list them, and what they register. */
export class ProjectRemovers {
  private readonly registered: ProjectRemover[] = [];

  /**
   * @param tables of all features that there are, also of those that this server has not loaded, in the order in which
   *   their rows go.
   */
  constructor(readonly tables: readonly OwnedTable[]) {}

  register(remover: ProjectRemover): void {
    this.registered.push(remover);
  }

  get removers(): readonly ProjectRemover[] {
    return this.registered;
  }
}
