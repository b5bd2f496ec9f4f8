/** Caches the result of `compute` for `ms` milliseconds, by default for ever. If it rejects, the next call tries again. */
export function cached<T>(compute: () => Promise<T>, ms = Number.POSITIVE_INFINITY): () => Promise<T> {
  let result: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (!result || performance.now() >= until) {
      until = performance.now() + ms;
      result = compute();
      result.catch(() => {
        result = undefined;
      });
    }
    return result;
  };
}
