interface Keyed<Key, Value> {
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): unknown;
}

/** The value of a key, made where the map has none; `getOrInsertComputed`, which Node has from 26 on. */
export function getOrMake<Key, Value>(map: Keyed<Key, Value>, key: Key, make: () => Value): Value {
  if (!map.has(key)) map.set(key, make());
  return map.get(key)!;
}
