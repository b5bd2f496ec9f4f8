/** A function that computes its result once for each first argument, on which alone the result may depend. */
export function cached<K, R extends unknown[], T>(compute: (key: K, ...rest: R) => T): (key: K, ...rest: R) => T {
  const results = new Map<K, T>();
  return (key, ...rest) => {
    if (!results.has(key)) results.set(key, compute(key, ...rest));
    return results.get(key) as T;
  };
}
