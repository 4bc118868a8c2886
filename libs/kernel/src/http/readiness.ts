/** Whether this process serves requests: set once it listens, taken back when it stops. */
export class Readiness {
  ready = false;
}
