import type { OpenConnection } from '@spandrel/connections';
import type { ChatCall } from '@spandrel/plugin-api';
import { CallPace } from './call-pace.js';

/** How calls are changed for a model that does not take them as they are. */
export interface Adaptation {
  /** Whether a temperature that the run did not ask for is left out. */
  leavesOutTemperature?: boolean;
  /** What limits the answer's length where the run does not say. */
  maxTokensMember?: ChatCall['maxTokensMember'];
  /** Whether an answer is not asked for by a schema. */
  leavesOutSchema?: boolean;
}

/** What the calls of one run share: how fast they go on, and what its models were seen not to take. */
export class RunCalls {
  private readonly paces = new Map<string, CallPace>();
  private readonly adaptations = new Map<string, Adaptation>();

  /** @param concurrency how many calls the run makes at once. */
  constructor(private readonly concurrency = Infinity) {}

  paceOf({ id }: Pick<OpenConnection, 'id'>): CallPace {
    let pace = this.paces.get(id);
    if (pace === undefined) this.paces.set(id, (pace = new CallPace(this.concurrency)));
    return pace;
  }

  /** What {@link noteAdaptation} noted for a model. */
  adaptationFor(connection: Pick<OpenConnection, 'id'>, model: string): Adaptation {
    return this.adaptations.get(nameOf(connection, model)) ?? {};
  }

  /** Remembers how a model takes calls, for those that follow. */
  noteAdaptation(connection: Pick<OpenConnection, 'id'>, model: string, adaptation: Adaptation): void {
    this.adaptations.set(nameOf(connection, model), { ...this.adaptationFor(connection, model), ...adaptation });
  }
}

const nameOf = ({ id }: Pick<OpenConnection, 'id'>, model: string): string => `${id}\0${model}`;
