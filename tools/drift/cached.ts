/** A function of a text that computes its result once for each text. */
export function cached<T>(compute: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    if (!results.has(text)) results.set(text, compute(text));
    return results.get(text) as T;
  };
}
