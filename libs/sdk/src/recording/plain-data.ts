/** Methods that do not make a class more than data. */
const OF_DATA = /^(constructor|to(Locale)?String|valueOf)$/;

/** Prototypes by whether a class of that kind does something. */
const known = new WeakMap<object, boolean>();

/**
 * Whether an instance of a class is data as one's own types for requests and rows are: its class and those above have no methods by name,
 * and none of its members is a function. All else (clients, pools, services) has keys and connections inside that nobody wants
 * recorded (docs/sdk.md#instances-of-classes).
 * @throws what a trap of a proxy throws.
 */
export const isPlainData = (instance: object, prototype: object): boolean =>
  !hasMethods(prototype) && !Object.keys(instance).some((key) => isFunction(instance, key));

function hasMethods(prototype: object): boolean {
  let answer = known.get(prototype);
  if (answer === undefined) {
    const above = Object.getPrototypeOf(prototype) as object | null;
    // The topmost one is that of all objects, also of another realm.
    answer =
      above !== null &&
      (Object.getOwnPropertyNames(prototype).some((key) => !OF_DATA.test(key) && isFunction(prototype, key)) ||
        hasMethods(above));
    known.set(prototype, answer);
  }
  return answer;
}

/** A member of an object itself; getters are not asked. */
export const ownValue = (of: object, key: string): unknown => Object.getOwnPropertyDescriptor(of, key)?.value;

const isFunction = (of: object, key: string): boolean => typeof ownValue(of, key) === 'function';
